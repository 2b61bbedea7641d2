import torch
import torch.nn.functional as F
from torch import nn


def make_student():
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 4))


def make_teacher():
    return nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))


class Distiller:
    def __init__(self, teacher, student, optimizer, T=4.0, alpha=0.7):
        self.teacher, self.student = teacher.eval(), student
        self.optimizer, self.T, self.alpha = optimizer, T, alpha
        self.log = []

    def kd_loss(self, x, y):
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / self.T, dim=1)
        logits = self.student(x)
        kd = F.kl_div(F.log_softmax(logits / self.T, dim=1), soft, reduction="batchmean") * self.T ** 2
        return self.alpha * kd + (1 - self.alpha) * F.cross_entropy(logits, y)

    def compute_gradients(self, x, y):
        loss = self.kd_loss(x, y)
        loss.backward()
        self.log.append(loss.item())

    def apply_gradients(self):
        nn.utils.clip_grad_norm_(self.student.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def fit(self, batches):
        self.student.train()
        for x, y in batches:
            self.compute_gradients(x, y)
            self.apply_gradients()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
teacher, student = make_teacher().to(device), make_student().to(device)
initial = {k: v.clone() for k, v in student.state_dict().items()}
batches = [(torch.randn(16, 12, device=device), torch.randint(0, 4, (16,), device=device)) for _ in range(6)]
distiller = Distiller(teacher, student, torch.optim.SGD(student.parameters(), lr=0.1))
for epoch in range(2):
    distiller.fit(batches)
    print(epoch, sum(distiller.log[-6:]) / 6)
