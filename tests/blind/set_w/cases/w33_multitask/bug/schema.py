from dataclasses import dataclass, field


@dataclass
class Schema:
    sparse: dict = field(default_factory=lambda: {"user": 30, "item": 50, "hour": 24})
    dense: int = 4
    tasks: tuple = ("click", "like")
    dim: int = 8
