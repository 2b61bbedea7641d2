import torch

from warp import FlowWarp


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = FlowWarp(2).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    a = torch.rand(1, 2, 6, 6, device=device)
    b = a.roll(1, -1)
    for _ in range(2):
        warped, flow = net(a, b)
        loss = (warped - a).abs().mean() + 0.01 * flow.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
