import torch
import torch.nn as nn

from calib.collect import Collector
from calib.metrics import METRICS
from calib.scaling import TemperatureScale

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3)).to(device).eval()
x = torch.randn(60, 6)
y = x[:, :3].argmax(1)

with torch.no_grad():
    val_logits = net(x[:30].to(device)) * 4
scaler = TemperatureScale().to(device).fit(val_logits, y[:30].to(device))

book = Collector()
with torch.no_grad():
    for chunk in torch.arange(30, 60).split(8):
        prob = scaler(net(x[chunk].to(device)) * 4).softmax(-1)
        book.add(prob=prob, y=y[chunk])
data = book.arrays()
for name, fn in METRICS.items():
    print(name, round(float(fn(data["prob"], data["y"])), 4))
