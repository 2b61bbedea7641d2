import json
from dataclasses import dataclass, field
from typing import List

DEFAULTS = """
{
  "optim": {"lr": 0.01, "steps": 3},
  "init": {"slopes": [1, 2, 4], "offset": 0}
}
"""


@dataclass
class Init:
    slopes: List[float] = field(default_factory=list)
    offset: float = 0.0


@dataclass
class Optim:
    lr: float = 1e-3
    steps: int = 1


@dataclass
class Settings:
    init: Init
    optim: Optim

    @classmethod
    def load(cls, text=DEFAULTS):
        raw = json.loads(text)
        return cls(init=Init(**raw["init"]), optim=Optim(**raw["optim"]))
