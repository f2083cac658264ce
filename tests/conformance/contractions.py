# SPDX-License-Identifier: Apache-2.0
"""Products and sums that read one product several times, so that what is fused shows:
differences that cancel, error terms, choices. F marks a constant of single precision."""

EXPRESSIONS = [
    "a0*a1-a0*a1",
    "a0*a1-a1*a0",
    "a0*a1+a0*a1",
    "a0*a1+a1*a0",
    "a0*a0-a0*a0",
    "(a0*a1-a2)-(a0*a1-a2)",
    "a0*a1+a2-a0*a1",
    "a2+a0*a1-a0*a1",
    "a0*a1-a0*a1+a0*a1",
    "a0*(-a1)+a0*a1",
    "-(a0*a1)+a0*a1",
    "a0*a1-(a0*a1+a2)",
    "a0*a1-(a2+a0*a1)",
    "(a0*a1+a2)-a0*a1",
    "a0*a1*a2-a0*a1*a2",
    "a0*a1*a2-a2*a1*a0",
    "(a0+a1)*(a0+a1)-(a0+a1)*(a0+a1)",
    "a0*a1-a2*a3+a2*a3-a0*a1",
    "a0*a1-a0*a1+a2",
    "a2-(a0*a1-a0*a1)",
    "a0*a1-a0*a2",
    "a0*a1-a0*a1*a2",
    "(a0*a1)/(a0*a1)+a0*a1",
    "a0*a1+a0*a1+a0*a1",
    "2.0F*a0*a1-a0*a1",
    "a0*a1-0.5F*(a0*a1)",
    "fabsF(a0*a1)-a0*a1",
    "a0*a1-fabsF(a0*a1)",
    "(a0*a1>a2?a0*a1:a2)-a0*a1",
    "a0*a1-a2*a3-(a0*a1-a2*a3)",
    "(a0*a1+a2*a3)-(a0*a1+a2*a3)",
    "(a0*a1+a2*a3)*(a0*a1-a2*a3)",
    "a0*a1*a0*a1-a0*a1",
    "(a0-a1)*(a0+a1)-a0*a0+a1*a1",
    "a0*a1-(-a0)*a1",
    "a0*a1+(-a0)*a1",
    "a0*a1-(-a0)*(-a1)",
    "-a0*-a1-a0*a1",
]

STATEMENTS = {
    "one and two": "r=(a0*a1-a2)*(a2*a3-a0*a1)*(a2*a3+a0*a1);",
    "two and two": "r=(a0*a1-a2)*(a0*a1-a3)*(a2*a3-a0*a1)*(a2*a3+a0*a1);",
    "three and one": "r=(a0*a1-a2)*(a0*a1-a3)*(a2-a0*a1)*(a2*a3-a0*a1);",
    "three and three": "r=(a0*a1-a2)*(a0*a1-a3)*(a2-a0*a1)*(a2*a3-a0*a1)*(a2*a3+a0*a1)*(a0*a3-a0*a1);",
    "p-p": "T p=a0*a1; r=p-p;",
    "p-q same": "T p=a0*a1; T q=a0*a1; r=p-q;",
    "p-q swapped": "T p=a0*a1; T q=a1*a0; r=p-q;",
    "p+p": "T p=a0*a1; r=p+p;",
    "p-q use": "T p=a0*a1; T q=a0*a1; r=(p-q)+(p+a2);",
    "cancel across": "T p=a0*a1; T s=p+a2; r=s-p;",
    "cancel branch": "T p=a0*a1; r=a2; if(a2>a3) r=p-a0*a1;",
    "cancel branch2": "T p=a0*a1; if(a2>a3) r=p-a2; else r=p+a2; r-=p;",
    "loop cancel": "r=0; for(int j=0;j<4;j++){ r+=a0*a1; r-=a1*a0; a0=a0+a2; }",
    "cross": "T x=a0*a3-a1*a2, y=a0*a3-a1*a2; r=x-y;",
    "det": "r=a0*a3-a1*a2;",
    "det3": "r=a0*(a1*a2-a3*a0)-a1*(a0*a2-a3*a1)+a2*(a0*a3-a1*a1);",
    "select sum": "r=a0*a1+(a2>a3?a2*a3:a3);",
    "select sum2": "r=(a2>a3?a0*a1:a2)+a3;",
    "select sum3": "r=a0*a1+(a2>a3?a0:a1);",
    "kahan": "T s=a0*a1, e=a0*a1-s; r=s+e*a2;",
    "twoprod": "T p=a0*a1; T e=a0*a1-p; r=e;",
    "dot2": "T p=a0*a1; T q=a2*a3; T s=p+q; r=(p-(s-q))+(q-(s-p));",
    "neg twice": "T p=a0*a1; r=-p+p;",
    "min p": "T p=a0*a1; r=(p<a2?p:a2)-p;",
}


def add_to(add):
    for letter, suffix, text in (("f", "f", "float"), ("d", "", "double")):
        for e in EXPRESSIONS:
            body = e.replace("fabsF", "fabs" + suffix).replace("F", suffix)
            add(f"X:{letter} {e}", 4 * letter, letter, f"r = ({body});")
        for name, statement in STATEMENTS.items():
            add(f"X:{letter} {name}", 4 * letter, letter, f"typedef {text} T; {statement}")
