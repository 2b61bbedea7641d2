import torch
import torch.nn.functional as F

from teacher import Teacher, make_net

device = "cuda" if torch.cuda.is_available() else "cpu"
teacher = Teacher(make_net(64, device), temperature=2.0)
student = make_net(8, device)
optimizer = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
alpha = 0.7

student.train()
for step in range(4):
    x = torch.randn(16, 8, device=device)
    y = torch.randint(0, 4, (16,), device=device)
    soft = teacher(x)
    logits = student(x)
    log_p = F.log_softmax(logits / teacher.temperature, dim=-1)
    kd = F.kl_div(log_p, soft, reduction="batchmean") * teacher.temperature ** 2
    loss = alpha * kd + (1 - alpha) * F.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, kd.item(), loss.item())
