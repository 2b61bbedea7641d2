import torch


class NoiseSource:
    """Reproducible start points: the same seed gives the same samples."""

    def __init__(self, seed, device):
        self.device = device
        self.rng = torch.Generator()
        self.rng.manual_seed(seed)

    def draw(self, *shape):
        return torch.randn(*shape, generator=self.rng, device=self.device)
