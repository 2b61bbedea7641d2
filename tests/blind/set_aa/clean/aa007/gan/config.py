from dataclasses import dataclass, field


@dataclass
class OptimCfg:
    lr: float = 2e-4
    betas: tuple = (0.5, 0.9)


@dataclass
class Cfg:
    z: int = 8
    feat: int = 2
    hidden: int = 32
    critic_steps: int = 2
    gp: float = 10.0
    optim: OptimCfg = field(default_factory=OptimCfg)
