import torch
import torch.nn as nn


class PromptedEncoder(nn.Module):
    """A frozen encoder in front of which some trained vectors are put."""

    def __init__(self, encoder, dim, n_prompt, n_class, device):
        super().__init__()
        self.encoder = encoder.to(device)
        for p in self.encoder.parameters():
            p.requires_grad_(False)
        self.prompt = nn.Parameter(0.02 * torch.randn(1, n_prompt, dim, device=device))
        self.head = nn.Linear(dim, n_class).to(device)

    def forward(self, tokens):
        prompt = self.prompt.expand(tokens.size(0), -1, -1)
        h = self.encoder(torch.cat([prompt, tokens], dim=1))
        return self.head(h[:, : prompt.size(1)].mean(dim=1))
