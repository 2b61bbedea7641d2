import torch
import torch.nn as nn
import torch.nn.functional as F


class CLIPLike(nn.Module):
    def __init__(self, dim=16, device="cpu", dtype=torch.float32):
        super().__init__()
        kw = {"device": device, "dtype": dtype}
        self.image = nn.Linear(32, dim, **kw)
        self.text = nn.EmbeddingBag(50, dim, **kw)
        self.logit_scale = nn.Parameter(torch.tensor(2.6593).to(device))
        self.prompts = nn.ParameterDict({"photo": torch.zeros(dim), "sketch": torch.zeros(dim)}).to(device)
        self.bias = nn.Parameter(torch.empty(dim, **kw))
        nn.init.normal_(self.bias, std=0.02)

    def extend_prompts(self, name):
        old = next(iter(self.prompts.values()))
        self.prompts[name] = nn.Parameter(old.detach().clone())

    def forward(self, image, words, style):
        a = F.normalize(self.image(image) + self.prompts[style], dim=-1)
        b = F.normalize(self.text(words) + self.bias, dim=-1)
        return self.logit_scale.clamp(max=4.6).exp() * a @ b.t()

    @torch.no_grad()
    def export(self):
        """Half precision copies for the search service; the model keeps its own weights."""
        return {name: p.half().cpu() for name, p in self.named_parameters()}


def contrastive(logits):
    target = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CLIPLike(device=device)
    model.extend_prompts("painting")
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for i, style in enumerate(["photo", "sketch", "painting"] * 2):
        image = torch.randn(8, 32, device=device)
        words = torch.randint(0, 50, (8, 6), device=device)
        loss = contrastive(model(image, words, style))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item(), sorted(model.export()))
    return model


if __name__ == "__main__":
    model = main()
