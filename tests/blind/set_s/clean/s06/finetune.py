import torch
import torch.nn as nn
import torch.nn.functional as F

from backbone import TextBackbone, set_trainable


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = TextBackbone()
        self.head = nn.Linear(16, 2)
        set_trainable(self.backbone, False)

    def forward(self, ids):
        return self.head(self.backbone(ids))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Sentiment().to(device)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    ids = torch.randint(0, 200, (64, 12), device=device)
    labels = torch.randint(0, 2, (64,), device=device)
    for epoch in range(4):
        if epoch == 2:
            top = set_trainable(model.backbone.layers[-1], True)
            optimizer.add_param_group({"params": list(top.parameters()), "lr": 1e-4})
        for xb, yb in zip(ids.split(16), labels.split(16)):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            optimizer.step()
        trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
        print(epoch, loss.item(), trained)


if __name__ == "__main__":
    main()
