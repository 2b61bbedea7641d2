import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = [[0.0, 1.0], [2.0, 0.5], [1.5, 1.5]]
table = torch.tensor(rows, device=device)


def nearest(q):
    d = torch.cdist(q.unsqueeze(0), table)
    return d.argmin().item()


print(nearest(torch.zeros(2, device=device)))
