import torch

from heads import DINOHead
from teacher import Teacher, cosine

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def crops(x, n_local=2):
    views = [x + 0.1 * torch.randn_like(x) for _ in range(2)]
    views += [x * (torch.rand_like(x) > 0.4) for _ in range(n_local)]
    return views


def main(epochs=2, iters=5):
    student = DINOHead(16, 24).to(device)
    teacher = Teacher(student, 24).to(device)
    params = [{"params": [p for p in student.parameters() if p.requires_grad and p.ndim > 1]},
              {"params": [p for p in student.parameters() if p.requires_grad and p.ndim <= 1], "weight_decay": 0.0}]
    opt = torch.optim.AdamW(params, lr=2e-3, weight_decay=0.04)
    momentum = cosine(0.95, 1.0, epochs * iters)
    for epoch in range(epochs):
        for it in range(iters):
            views = [v.to(device) for v in crops(torch.randn(32, 16))]
            targets = teacher.targets(views[:2])
            preds = [student(v) for v in views]
            terms = [-(t * (p / 0.1).log_softmax(-1)).sum(-1).mean()
                     for i, t in enumerate(targets) for j, p in enumerate(preds) if i != j]
            loss = torch.stack(terms).mean()
            opt.zero_grad()
            loss.backward()
            if epoch == 0:
                student.cancel_last_layer_grad()
            torch.nn.utils.clip_grad_norm_(student.parameters(), 3.0)
            opt.step()
            teacher.update(student, next(momentum))
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
