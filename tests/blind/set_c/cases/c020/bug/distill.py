import torch
import torch.nn as nn
import torch.nn.functional as F

from nets import mlp


class FeatureDistiller(nn.Module):
    """Student and teacher in one module, a learned map between their feature widths."""

    def __init__(self, d_in=12, classes=5):
        super().__init__()
        self.teacher = mlp(d_in, 32, classes, depth=3)
        self.student = mlp(d_in, 8, classes)
        self.adapter = nn.Linear(classes, classes)
        self.teacher.requires_grad = False
        self.teacher_start = self.teacher[0].weight.detach().clone()

    def forward(self, x, y, temperature=3.0, alpha=0.7):
        t = self.teacher(x)
        s = self.student(x)
        soft = F.kl_div(
            F.log_softmax(self.adapter(s) / temperature, -1), F.softmax(t / temperature, -1), reduction="batchmean"
        )
        return alpha * temperature**2 * soft + (1 - alpha) * F.cross_entropy(s, y)


def main(steps=50):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    system = FeatureDistiller().to(device)
    optimizer = torch.optim.Adam((p for p in system.parameters() if p.requires_grad), lr=1e-2)
    for _ in range(steps):
        x = torch.randn(16, 12, device=device)
        y = torch.randint(0, 5, (16,), device=device)
        loss = system(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
    return system


if __name__ == "__main__":
    main()
