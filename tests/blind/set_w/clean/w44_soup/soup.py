import io
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from models import ConvMixer, fingerprint

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(model, loader, lr):
    model.to(device).train()
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True)
    for x, y in loader:
        opt.zero_grad()
        F.cross_entropy(model(x.to(device)), y.to(device)).backward()
        opt.step()
    blob = io.BytesIO()
    torch.save({k: v.cpu() for k, v in model.state_dict().items()}, blob)
    return blob.getvalue()


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = seen = 0
    for x, y in loader:
        pred = model(x.to(device)).argmax(-1)
        hits += (pred.cpu() == y).sum().item()
        seen += y.numel()
    return hits / seen


def mean_state(states):
    out = {}
    for name, ref in states[0].items():
        stacked = torch.stack([s[name].double() for s in states])
        out[name] = stacked.mean(0).to(ref.dtype)
    return out


@torch.no_grad()
def refresh_bn(model, loader):
    model.train()
    for x, _ in loader:
        model(x.to(device))


data = TensorDataset(torch.rand(48, 3, 16, 16), torch.randint(0, 3, (48,)))
loader = DataLoader(data, batch_size=16, shuffle=True, pin_memory=False)
start = ConvMixer()
blobs = []
for lr in (0.01, 0.03, 0.1):
    cand = ConvMixer()
    cand.load_state_dict(start.state_dict())
    blobs.append(train(cand, loader, lr))
states = [torch.load(io.BytesIO(b), map_location="cpu") for b in blobs]
greedy, best = [], -1.0
final = ConvMixer().to(device)
for s in states:
    final.load_state_dict(mean_state(greedy + [s]))
    refresh_bn(final, loader)
    score = accuracy(final, loader)
    if score >= best:
        greedy, best = greedy + [s], score
print(len(greedy), best, fingerprint(final)[:2])
