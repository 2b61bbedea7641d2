import torch
from torch import nn


class LinkPredictor(nn.Module):
    def __init__(self, n=10, d=4):
        super().__init__()
        self.emb = nn.Embedding(n, d)
        self.bias = nn.Parameter(torch.zeros(1))

    def score(self, pairs):
        scores = []
        for i, j in pairs.tolist():
            idx = torch.tensor([i, j], device=self.bias.device)
            a, b = self.emb(idx)
            scores.append(a @ b)
        return torch.stack(scores) + self.bias


def main(steps=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LinkPredictor().to(device)
    start = model.emb.weight.detach().cpu().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(steps):
        pairs = torch.randint(0, 10, (6, 2))
        label = torch.randint(0, 2, (6,), device=device).float()
        loss = nn.functional.binary_cross_entropy_with_logits(model.score(pairs), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
    return model, start


if __name__ == "__main__":
    main()
