import torch
import torch.nn.functional as F
from nets import Classifier

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
teacher = Classifier(16).to(device).eval().requires_grad_(False)
student = Classifier(4, freeze_trunk=True).to(device)
opt = torch.optim.SGD((p for p in student.parameters() if p.requires_grad), lr=0.1)
T = 3.0
for step in range(3):
    student.train()
    x = torch.randn(6, 3, 8, 8, device=device)
    y = torch.randint(0, 5, (6,), device=device)
    with torch.no_grad():
        soft = F.softmax(teacher(x) / T, dim=-1)
    logits = student(x)
    kd = F.kl_div(F.log_softmax(logits / T, -1), soft, reduction="batchmean") * T * T
    loss = 0.7 * kd + 0.3 * F.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
