import torch
import torch.nn.functional as F
from torch import nn

from teacher import Teacher


class AttentionStudent(nn.Module):
    def __init__(self, dim=16, classes=5, patches=4):
        super().__init__()
        self.patches = patches
        self.embed = nn.Linear(dim // patches, 12)
        self.query = nn.Parameter(torch.randn(12) * 0.1)
        self.cls = nn.Linear(12, classes)

    def forward(self, x):
        h = self.embed(x.view(x.size(0), self.patches, -1))
        w = (h @ self.query).softmax(-1)
        return self.cls((w.unsqueeze(-1) * h).sum(1))


@torch.inference_mode()
def accuracy(student, teacher, x):
    student.eval()
    agree = (student(x).argmax(-1) == teacher(x).argmax(-1)).float().mean().item()
    student.train()
    return agree


def main(temperature=2.0, steps=8):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    teacher, student = Teacher().to(device).eval(), AttentionStudent().to(device)
    opt = torch.optim.Adam(student.parameters(), lr=5e-3)
    held_out = torch.randn(64, 16, device=device)
    for step in range(steps):
        x = torch.randn(32, 16, device=device)
        target = teacher.soft_targets(x, temperature)
        log_p = F.log_softmax(student(x) / temperature, dim=-1)
        loss = F.kl_div(log_p, target, reduction="batchmean") * temperature ** 2
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 4 == 3:
            print(step, loss.item(), teacher.confidence(x), accuracy(student, teacher, held_out))


if __name__ == "__main__":
    main()
