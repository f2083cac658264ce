# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders in the expressions that decide what they are by zero: alone, in
pairs, multiplied back, of constants, of powers of two, of narrow operands, in branches and
loops. T is the type, x and y are the operands; y is zero in one of 24 edge cases."""

STATEMENTS = {
    "x/y + x%y": "r=x/y + x%y;",
    "x%y + x/y": "r=x%y + x/y;",
    "q then r": "T q=x/y; T m=x%y; r=q*31+m*7;",
    "r then q": "T m=x%y; T q=x/y; r=q*31+m*7;",
    "rem beside quot": "T q=x/y; r=x%y; if (q==(T)123456) r=q;",
    "quot beside rem": "T m=x%y; r=x/y; if (m==(T)123456) r=m;",
    "x-x/y*y": "r=x-x/y*y;",
    "x/y*y": "r=x/y*y;",
    "x/y*y+x%y": "r=x/y*y+x%y;",
    "x-x%y": "r=x-x%y;",
    "q, x-q*y": "T q=x/y; r=(x-q*y)*3+q;",
    "either": "if (x>(T)5) r=x/y; else r=x%y;",
    "quot in branch": "r=x%y; if (x>(T)5) r+=x/y*3;",
    "rem in branch": "r=x/y; if (x>(T)5) r+=x%y*3;",
    "guarded one": "r = y ? x/y : (T)7;",
    "loop digits": "r=0; for(int j=0;j<5;j++){ r=r*3+x%y; x/=y; }",
    "loop invariant": "r=0; for(int j=0;j<5;j++){ r+=x/y+j; }",
    "gcd": "for(int j=0;j<6;j++){ T t=x%y; x=y; y=t; } r=x*3+y;",
    "x/y/z": "r=x/y/(T)(x^3);",
    "x%y%z": "r=x%y%(T)(x^3);",
    "(x+1)/y,(x+1)%y": "r=(x+1)/y*5+(x+1)%y;",
    "x/(y&16)": "r=x/(y&(T)16);",
    "x%(y&16)": "r=x%(y&(T)16);",
    "x%(y&16) + x/": "r=x%(y&(T)16)*3+x/(y&(T)16);",
    "x%(y&-y)": "r=x%(T)(y&-y);",
    "(x&255)/(y&255)": "r=(x&(T)255)/(y&(T)255);",
    "(x&255)%(y&255)": "r=(x&(T)255)%(y&(T)255);",
    "(x&255)/%(y&255)": "r=(x&(T)255)%(y&(T)255)*3+(x&(T)255)/(y&(T)255);",
    "7/y": "r=(T)7/y;",
    "7%y": "r=(T)7%y;",
    "7/y+7%y": "r=(T)7/y*3+(T)7%y;",
    "-7/y": "r=(T)-7/y;",
    "-7%y": "r=(T)-7%y;",
    "-7/y+-7%y": "r=(T)-7/y*3+(T)-7%y;",
    "1/y": "r=(T)1/y;",
    "1%y": "r=(T)1%y;",
    "0/y": "r=(T)0/y;",
    "0%y": "r=(T)0%y;",
    "-1/y": "r=(T)-1/y;",
    "-1%y": "r=(T)-1%y;",
    "big/y": "r=(T)0x123456789abcdull/y;",
    "big%y": "r=(T)0x123456789abcdull%y;",
    "big/y+big%y": "r=(T)0x123456789abcdull/y*3+(T)0x123456789abcdull%y;",
    "x/x": "r=x/x;",
    "x%x": "r=x%x;",
    "x/-1": "r=x/(T)-1;",
    "x%-1": "r=x%(T)-1;",
    "three": "T q=x/y, m=x%y, s=(x+q)/y; r=q*31+m*7+s;",
    "two divisors": "r=x/y+x%(y+1);",
    "same quot twice": "r=x/y; r+=x/y*5;",
    "same rem twice": "r=x%y; r+=x%y*5;",
    "cmp rem": "r=(x%y==0);",
    "cmp rem use": "r=(x%y==0)? x/y : (T)0;",
    "x/y, y==0 later": "r=x/y; if (y==0) r=(T)99;",
    "ceil": "r=(x+y-1)/y;",
    "round up": "r=(x+y-1)/y*y;",
    "wrap": "r=(x%y+y)%y;",
}

TYPES = {
    "int": ("int", "i", None),
    "uint": ("unsigned", "i", None),
    "ll": ("long long", "l", None),
    "ull": ("unsigned long long", "l", None),
    "short": ("short", "h", "x/y + x%y;q then r;x-x/y*y;x/y*y;gcd;loop digits"),
    "ushort": ("unsigned short", "h", "x/y + x%y;q then r;x-x/y*y;x/y*y;x%(y&16);loop digits"),
    "uchar": ("unsigned char", "h", "x/y + x%y;q then r;x/y*y;x%(y&16)"),
}

# Between types; a0 and a1 are of 64 bits.
MIXED = {
    "ull/uint": "(unsigned long long)a0/(unsigned)a1",
    "ull%uint": "(unsigned long long)a0%(unsigned)a1",
    "zext/zext": "(unsigned long long)(unsigned)a0/(unsigned long long)(unsigned)a1",
    "zext%zext": "(unsigned long long)(unsigned)a0%(unsigned long long)(unsigned)a1",
    "sext/sext": "(long long)(int)a0/(long long)(int)a1",
    "sext%sext": "(long long)(int)a0%(long long)(int)a1",
    "sext16/sext16": "(long long)(short)a0/(long long)(short)a1",
    "sext16%sext16": "(long long)(short)a0%(long long)(short)a1",
    "ll/int": "a0/(int)a1",
    "ll%int": "a0%(int)a1",
    "int/uint": "(long long)((int)a0/(unsigned)a1)",
    "int/uint+": "(long long)((int)a0/(unsigned)a1+(unsigned)a0%(unsigned)a1)",
    "s and u": "(long long)((int)a0/(int)a1+(unsigned)a0%(unsigned)a1)",
    "zext pair": "(unsigned long long)(unsigned)a0/(unsigned long long)(unsigned)a1*5+(unsigned long long)(unsigned)a0%(unsigned long long)(unsigned)a1",
    "trunc quot": "(long long)(int)(a0/a1)",
    "trunc rem": "(long long)(int)(a0%a1)",
    "hi quot": "(a0/a1)>>32",
    "hi rem": "(a0%a1)>>32",
    "hi ull": "((unsigned long long)a0/(unsigned long long)a1)>>32",
    "i128 quot": "(long long)((__int128)a0/(__int128)a1)",
    "i128 rem": "(long long)((__int128)a0%(__int128)a1)",
    "u128 quot hi": "(long long)(((unsigned __int128)a0*77/(unsigned __int128)(unsigned long long)a1)>>64)",
    "u128 rem": "(long long)(((unsigned __int128)a0*77%(unsigned __int128)(unsigned long long)a1))",
}


def add_to(add):
    for name, (text, letter, chosen) in TYPES.items():
        for form, statement in STATEMENTS.items():
            if chosen is None or form in chosen.split(";"):
                body = f"typedef {text} T; T x = (T)a0, y = (T)a1, q_; {{ T r; {statement} q_ = r; }} r = q_;"
                add(f"D:{name} {form}", 2 * letter, letter, body)
    for form, expression in MIXED.items():
        add(f"D:{form}", "ll", "l", f"r = {expression};")
