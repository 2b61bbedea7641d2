import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 40), nn.ReLU(), nn.Linear(40, 4))

    @torch.inference_mode()
    def label(self, x):
        return self.net(x).argmax(dim=1)

    @torch.inference_mode()
    def embed(self, x):
        return self.net[:2](x)


teacher = Teacher().to(device).eval()
pool = torch.randn(60, 6, device=device)
hidden = teacher.embed(pool).clone()
target = teacher.label(pool)

student = nn.Linear(6, 40).to(device)
head = nn.Linear(40, 4).to(device)
optimizer = torch.optim.Adam([*student.parameters(), *head.parameters()], lr=1e-2)

for epoch in range(3):
    for idx in torch.randperm(len(pool), device=device).split(20):
        guess = student(pool[idx])
        loss = F.mse_loss(guess, hidden[idx]) + F.cross_entropy(head(guess), target[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        agreed = (head(student(pool)).argmax(1) == target).float().mean().item()
    print(epoch, loss.item(), agreed)
