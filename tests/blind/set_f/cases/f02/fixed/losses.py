import torch
import torch.nn.functional as F


class NTXent:
    """Normalised temperature-scaled cross entropy over two views of one batch."""

    def __init__(self, temperature=0.2):
        self.temperature = temperature

    def __call__(self, za, zb):
        n = za.size(0)
        z = F.normalize(torch.cat([za, zb]), dim=-1)
        sim = z @ z.t() / self.temperature
        sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool, device=z.device), float("-inf"))
        partner = torch.arange(2 * n, device=z.device).roll(n)
        return F.cross_entropy(sim, partner)
