import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
gen = torch.Generator().manual_seed(42)


def bootstrap(x, n):
    idx = torch.randint(len(x), (n, len(x)), generator=gen, device=x.device)
    return x[idx].mean(1)


data = torch.randn(50, device=device)
means = bootstrap(data, 20)
print(means.std().item())
