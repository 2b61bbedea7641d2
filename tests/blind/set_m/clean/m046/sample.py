import torch
from energy import Energy


@torch.no_grad()
def langevin(model, x, steps=10, step_size=0.01):
    for _ in range(steps):
        x = x + step_size * model.score(x) + (2 * step_size) ** 0.5 * torch.randn_like(x)
    return x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Energy().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(4):
        real = torch.randn(32, 2, device=device) * 0.3 + 1
        fake = langevin(model, torch.randn(32, 2, device=device))
        e_real, e_fake = model(real), model(fake)
        loss = e_real.mean() - e_fake.mean() + 0.1 * (e_real ** 2 + e_fake ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
