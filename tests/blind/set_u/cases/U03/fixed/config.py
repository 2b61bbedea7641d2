from dataclasses import dataclass, field


@dataclass
class DetConfig:
    num_classes: int = 3
    stride: int = 16
    width: int = 24
    learn_anchors: bool = True
    anchors: list = field(default_factory=lambda: [(10, 13), (16, 30), (33, 23)])
    lr: float = 1e-3
    steps: int = 3
