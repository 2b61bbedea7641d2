# %% [markdown]
# Distilling a wide net into a narrow one, with frequency weighted labels.
# %%
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
N_CLASS, T = 4, 3.0

# %%
X = torch.randn(200, 10)
Y = torch.multinomial(torch.tensor([0.6, 0.2, 0.15, 0.05]), 200, replacement=True)


def inverse_frequency(labels, n):
    counts = torch.bincount(labels, minlength=n).float()
    w = counts.sum() / counts.clamp(min=1)
    return w / w.mean()


class KDLoss(nn.Module):
    def __init__(self, weight, alpha=0.7):
        super().__init__()
        self.alpha = alpha
        self.hard = nn.CrossEntropyLoss(weight=weight)

    def forward(self, student, teacher, y):
        soft = F.kl_div(F.log_softmax(student / T, 1), F.softmax(teacher / T, 1), reduction="batchmean") * T * T
        return self.alpha * soft + (1 - self.alpha) * self.hard(student, y)


# %%
teacher = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, N_CLASS)).to(DEVICE)
student = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, N_CLASS)).to(DEVICE)


def minibatches(bs=40):
    for idx in torch.randperm(len(X)).split(bs):
        yield X[idx].to(DEVICE), Y[idx].to(DEVICE)


def fit_teacher(epochs=2):
    opt = torch.optim.Adam(teacher.parameters(), lr=1e-2)
    for _ in range(epochs):
        for x, y in minibatches():
            opt.zero_grad()
            F.cross_entropy(teacher(x), y).backward()
            opt.step()
    return copy.deepcopy(teacher).eval().requires_grad_(False)


def fit_student(frozen, criterion, epochs=2):
    opt = torch.optim.Adam(student.parameters(), lr=1e-2)
    for _ in range(epochs):
        for x, y in minibatches():
            with torch.no_grad():
                guide = frozen(x)
            loss = criterion(student(x), guide, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


# %%
frozen = fit_teacher()
kd = KDLoss(inverse_frequency(Y, N_CLASS))
print("student loss", fit_student(frozen, kd))
