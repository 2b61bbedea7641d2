import torch
import torch.nn as nn


class Gaussians(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.xy = nn.Parameter(torch.rand(n, 2) * 2 - 1)
        self.log_scale = nn.Parameter(torch.full((n, 1), -1.2))
        self.color = nn.Parameter(torch.randn(n, 3) * 0.1)

    def __len__(self):
        return self.xy.shape[0]

    def render(self, size):
        h, w = size
        dev = self.xy.device
        yy, xx = torch.meshgrid(torch.linspace(-1, 1, h, device=dev), torch.linspace(-1, 1, w, device=dev), indexing="ij")
        p = torch.stack([xx, yy], -1).reshape(-1, 1, 2)
        g = torch.exp(-0.5 * ((p - self.xy) / self.log_scale.exp()).square().sum(-1))
        out = (g @ self.color.sigmoid()) / (g.sum(-1, keepdim=True) + 1e-3)
        return out.view(h, w, 3)


def densify(scene, opt, mask):
    """Clones the marked points, carrying the optimizer's moments over to the new parameters."""
    for group in opt.param_groups:
        old = group["params"][0]
        extra = old.detach()[mask]
        if group["name"] == "xy":
            extra = extra + 0.02 * torch.randn_like(extra)
        new = nn.Parameter(torch.cat([old.detach(), extra]))
        state = opt.state.pop(old, None)
        if state is not None:
            for k in ("exp_avg", "exp_avg_sq"):
                state[k] = torch.cat([state[k], torch.zeros_like(extra)])
            opt.state[new] = state
        group["params"][0] = new
        setattr(scene, group["name"], new)
