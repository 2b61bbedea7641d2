import torch

from learned import LearnedOptimizer
from problems import Quadratic, TinyNet

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def meta_train(lo, meta_opt, make, horizon=20, unroll=5):
    problem = make(device)
    state = lo.init_state(problem.params)
    total, last = 0.0, None
    for t in range(1, horizon + 1):
        loss = problem.loss()
        total = total + loss
        grads = torch.autograd.grad(loss, problem.params, retain_graph=True)
        problem.params, state = lo.update(problem.params, [g.detach() for g in grads], state)
        if t % unroll == 0:
            meta_opt.zero_grad()
            total.backward()
            torch.nn.utils.clip_grad_norm_(lo.parameters(), 1.0)
            meta_opt.step()
            last, total = total.detach() / unroll, 0.0
            problem.params = [p.detach().requires_grad_() for p in problem.params]
            state = [tuple(s.detach() for s in pair) for pair in state]
    return last


def main():
    lo = LearnedOptimizer().to(device)
    meta_opt = torch.optim.Adam(lo.parameters(), lr=3e-3)
    for it in range(4):
        losses = [meta_train(lo, meta_opt, cls) for cls in (Quadratic, TinyNet)]
    print(torch.stack(losses).tolist())


if __name__ == "__main__":
    main()
