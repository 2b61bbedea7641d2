import torch
from torch import nn


class Student(nn.Module):
    def __init__(self, d, classes):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 8), nn.ReLU())
        self.c = nn.Linear(8, classes)

    def forward(self, x):
        h = self.f(x)
        return self.c(h), h


def distill(student, teacher, batches, device, t=4.0):
    teacher.to(device)
    student.to(device)
    teacher.eval()
    student.train()
    optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
    loss_sum, hits, seen = 0.0, 0, 0
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        with torch.no_grad():
            soft = torch.softmax(teacher(x)[0] / t, dim=-1)
        logits, _ = student(x)
        kd = nn.functional.kl_div(torch.log_softmax(logits / t, -1), soft, reduction="batchmean") * t * t
        loss = 0.5 * kd + 0.5 * nn.functional.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss_sum += loss.detach()
        hits += (logits.argmax(-1) == y).sum()
        seen += y.numel()
    return (loss_sum / len(batches)).item(), hits.item() / seen


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batches = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(3)]
    print(distill(Student(6, 3), Student(6, 3), batches, device))
