import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvNet(nn.Module):
    def __init__(self, width, classes=5):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.block = nn.Sequential(nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.MaxPool2d(2))
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        f = self.block(self.stem(x))
        return self.fc(f.mean((2, 3))), f


class KDLoss(nn.Module):
    def __init__(self, s_width, t_width, T=4.0, alpha=0.5):
        super().__init__()
        self.adapt = nn.Conv2d(s_width, t_width, 1)
        self.T, self.alpha = T, alpha

    def forward(self, student_out, teacher_out, target):
        s_logit, s_feat = student_out
        t_logit, t_feat = teacher_out
        soft = F.kl_div(F.log_softmax(s_logit / self.T, 1), F.log_softmax(t_logit / self.T, 1),
                        reduction="batchmean", log_target=True) * self.T ** 2
        hint = F.mse_loss(self.adapt(s_feat), t_feat)
        return self.alpha * soft + (1 - self.alpha) * F.cross_entropy(s_logit, target) + 0.1 * hint


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--alpha", type=float, default=0.5)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    teacher = ConvNet(24).to(device).eval()
    for p in teacher.parameters():
        p.requires_grad = False
    student = ConvNet(8).to(device)
    kd = KDLoss(8, 24, alpha=args.alpha).to(device)
    optimizer = torch.optim.SGD([
        {"params": student.parameters()},
        {"params": kd.parameters(), "lr": 0.1},
    ], lr=0.05, momentum=0.9, weight_decay=1e-4)

    student.train()
    for _ in range(6):
        images = torch.randn(8, 3, 16, 16).to(device)
        labels = torch.randint(0, 5, (8,)).to(device)
        with torch.inference_mode():
            guide = teacher(images)
        guide = tuple(g.clone() for g in guide)
        loss = kd(student(images), guide, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"final {loss.item():.4f}")


if __name__ == "__main__":
    main()
