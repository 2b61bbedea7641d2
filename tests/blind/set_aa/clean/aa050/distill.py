import torch

from kd.losses import kd_loss, soft_targets
from kd.student import Student
from kd.zoo import BUILDERS

CONFIG = dict(teachers=("wide", "deep"), student="tiny", temp=3.0, mix=0.7, lr=1e-2, steps=4)


def build(cfg, inp=10, out=4):
    teachers = [BUILDERS[name](inp, out) for name in cfg["teachers"]]
    return Student(BUILDERS[cfg["student"]](inp, out), teachers)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
student = build(CONFIG).to(device).train()
opt = torch.optim.Adam(student.parameters(), lr=CONFIG["lr"])
for step in range(CONFIG["steps"]):
    x = torch.randn(32, 10).to(device)
    hard = x[:, :4].argmax(-1)
    soft = soft_targets(student.teachers, x, CONFIG["temp"])
    loss = kd_loss(student(x), soft, hard, CONFIG["temp"], CONFIG["mix"])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
print("saved keys", len(student.state_dict()))
