"""Effects of torch and its friends, as data.

`data/` describes the callables, layers and optimizers of torch: which parameters are tensors and in which role, what is returned,
whether the result is in the graph, what `backward` needs unchanged, what is written in place. `scripts/generate_catalog.py` makes it
from torch's own declarations, from signatures, and from running torch's operator samples; `scripts/catalog/` says by hand, with
reasons, what none of these can. The records are read one namespace at a time, and decoded one name at a time.
`tests/against_torch/` runs every row that can be run. `versions.json` says what differs in the oldest supported torch.

`stubs/*.toml` are written by hand: numpy, matplotlib, torchvision and others. They are TOML and not `.pyi`, because they state
effects, for which Python's type syntax has no words.
"""
