import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(40, 2, device=device)
y = x @ torch.tensor([2.0, -1.0], device=device)
theta = torch.zeros(2, device=device, requires_grad=True)
for i in range(5):
    loss = (x @ theta - y).pow(2).mean()
    loss.backward()
    theta = theta - 0.1 * theta.grad
print(theta.tolist())
