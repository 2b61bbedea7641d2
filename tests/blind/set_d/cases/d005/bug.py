import torch


def power_iteration(a, iters=20):
    v = torch.ones(a.size(1), 1, device=a.device)
    for _ in range(iters):
        v = a @ v
        v = v / v.norm()
    return (v.t() @ a @ v).item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    a = torch.rand(5, 5)
    a = a @ a.t()
    shift = torch.eye(5) * 0.1
    a = a.to(device)
    shift.to(device)
    print(power_iteration(a + shift))


if __name__ == "__main__":
    main()
