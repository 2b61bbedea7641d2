import torch
import torch.nn.functional as F
from torch import nn
from teacher import MeanTeacher


def jitter(x, s=0.1):
    return x + s * torch.randn_like(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
student = nn.Sequential(nn.Linear(5, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 3)).to(device)
teacher = MeanTeacher(student)
opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
for step in range(4):
    xl, y = torch.randn(8, 5, device=device), torch.randint(0, 3, (8,), device=device)
    xu = torch.randn(24, 5, device=device)
    logits = student(torch.cat([jitter(xl), jitter(xu)]))
    soft = teacher(jitter(xu)).softmax(-1)
    ramp = min(1.0, step / 3)
    loss = F.cross_entropy(logits[:8], y) + ramp * F.mse_loss(logits[8:].softmax(-1), soft)
    opt.zero_grad()
    loss.backward()
    opt.step()
    teacher.update()
teacher.net.eval()
print(teacher(torch.randn(2, 5, device=device)).argmax(1).tolist())
