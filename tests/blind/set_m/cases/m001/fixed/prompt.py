import torch


class SoftPrompt:
    def __init__(self, n_tokens, dim, device):
        self.n_tokens = n_tokens
        self.weight = torch.randn(n_tokens, dim, device=device, requires_grad=True)

    def prepend(self, embeds):
        b = embeds.size(0)
        p = self.weight.unsqueeze(0).expand(b, -1, -1)
        return torch.cat([p, embeds], dim=1)
