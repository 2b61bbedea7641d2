import argparse
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class DistillationLoss(nn.Module):
    def __init__(self, teacher, temperature=4.0, alpha=0.7):
        super().__init__()
        self.teacher = teacher.requires_grad_(False).eval()
        self.T = temperature
        self.alpha = alpha

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, inputs, student_logits, labels):
        with torch.no_grad():
            teacher_logits = self.teacher(inputs)
        soft = F.kl_div(
            F.log_softmax(student_logits / self.T, dim=-1),
            F.log_softmax(teacher_logits / self.T, dim=-1),
            reduction="batchmean", log_target=True,
        ) * self.T ** 2
        hard = F.cross_entropy(student_logits, labels)
        return self.alpha * soft + (1 - self.alpha) * hard


def mlp(width, depth):
    layers = [nn.Linear(16, width), nn.BatchNorm1d(width), nn.ReLU()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Dropout(0.1), nn.Linear(width, 5))


@torch.inference_mode()
def accuracy(model, loader, device):
    model.eval()
    hits = n = 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        hits += (model(x).argmax(1) == y).sum().item()
        n += len(y)
    return hits / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--teacher", type=Path)
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(0)

    teacher = mlp(64, 3)
    if args.teacher is not None:
        teacher.load_state_dict(torch.load(args.teacher, map_location="cpu", weights_only=True))
    student = mlp(16, 1).to(device)
    criterion = DistillationLoss(teacher).to(device)
    optimizer = torch.optim.Adam(student.parameters(), lr=2e-3)

    x = torch.randn(160, 16)
    y = x[:, :5].argmax(1)
    train_loader = DataLoader(TensorDataset(x[:128], y[:128]), batch_size=32, shuffle=True, drop_last=True)
    val_loader = DataLoader(TensorDataset(x[128:], y[128:]), batch_size=32)

    best = -1.0
    for epoch in range(args.epochs):
        student.train()
        criterion.train()
        for inputs, labels in train_loader:
            inputs, labels = inputs.to(device), labels.to(device)
            loss = criterion(inputs, student(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        acc = accuracy(student, val_loader, device)
        if acc > best:
            best, weights = acc, {k: v.cpu().clone() for k, v in student.state_dict().items()}
        print(f"{epoch} {loss.item():.3f} {acc:.3f}")
    student.load_state_dict(weights)
    print("best", best)


if __name__ == "__main__":
    main()
