import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class MeanTeacher(nn.Module):
    """Student and its average are one module, so that they move and save together."""

    def __init__(self, student, decay=0.95):
        super().__init__()
        self.student = student
        self.teacher = copy.deepcopy(student)
        for p in self.teacher.parameters():
            p.requires_grad = False
        self.decay = decay

    @torch.no_grad()
    def follow(self):
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.lerp_(s, 1 - self.decay)
        for t, s in zip(self.teacher.buffers(), self.student.buffers()):
            t.copy_(s)

    def forward(self, labelled, label, unlabelled, weight):
        n = len(labelled)
        x = torch.cat([labelled, unlabelled])
        logits = self.student(x + 0.1 * torch.randn_like(x))
        with torch.no_grad():
            target = self.teacher(x + 0.1 * torch.randn_like(x)).softmax(-1)
        supervised = F.cross_entropy(logits[:n], label)
        consistent = F.mse_loss(logits.softmax(-1), target)
        return supervised + weight * consistent


def ramp(step, length):
    phase = max(0.0, 1.0 - step / length)
    return float(torch.exp(torch.tensor(-5.0 * phase ** 2)))


def network():
    return nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))


def main():
    torch.manual_seed(0)
    model = MeanTeacher(network())
    optimizer = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=3e-3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    few = torch.randn(24, 10)
    label = few[:, :3].argmax(1)
    many = torch.randn(200, 10)
    truth = many[:, :3].argmax(1).to(device)
    for step in range(10):
        pick = torch.randint(len(many), (24,))
        model.train()
        loss = model(few.to(device), label.to(device), many[pick].to(device), ramp(step, 8))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.follow()
    model.eval()
    with torch.inference_mode():
        accuracy = (model.teacher(many.to(device)).argmax(1) == truth).float().mean()
    print(loss.item(), accuracy.item())


if __name__ == "__main__":
    main()
