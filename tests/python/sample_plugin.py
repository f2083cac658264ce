# SPDX-License-Identifier: Apache-2.0
"""For pytest: runs only a part of a large suite. PYTEST_SAMPLE=N:SEED keeps N tests, drawn by the seed from the
tests' sorted names, in the order in which they are drawn: where the time runs out, those that ran are a sample, too."""
import os
import random


def pytest_collection_modifyitems(config, items):
    n, _, seed = os.environ.get("PYTEST_SAMPLE", "").partition(":")
    if not n or int(n) >= len(items):
        return
    named = {item.nodeid: item for item in items}
    kept = random.Random(int(seed or 1)).sample(sorted(named), int(n))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in set(kept)])
    items[:] = [named[name] for name in kept]
