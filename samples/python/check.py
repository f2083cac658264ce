# SPDX-License-Identifier: Apache-2.0
"""What the samples share: a comparison with NumPy's or SciPy's answer that ends the program if they differ."""
import sys

import numpy as np


def check(name, got, wanted, rtol=0.0, atol=0.0):
    """Prints the name and the greatest difference; ends with status 1 where that is more than allowed."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        sys.exit(f"{name}: the shape is {got.shape}, not {wanted.shape}")
    if not np.allclose(got, wanted, rtol=rtol, atol=atol):
        at = np.unravel_index(np.argmax(np.abs(got - wanted)), got.shape)
        sys.exit(f"{name}: at {tuple(int(i) for i in at)} it is {got[at]}, not {wanted[at]}")
    print(f"{name}: {got.size} values agree")
