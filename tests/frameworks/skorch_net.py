import numpy as np
import torch
from skorch import NeuralNetClassifier
from torch import nn


class Net(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.hidden, self.out = nn.Linear(8, width), nn.Linear(width, 2)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return torch.softmax(self.out(self.dropout(torch.relu(self.hidden(x)))), dim=-1)


net = NeuralNetClassifier(Net, max_epochs=2, lr=0.1, device="cuda", criterion=nn.CrossEntropyLoss)
data = np.random.rand(64, 8).astype(np.float32)
net.fit(data, np.random.randint(0, 2, 64))
print(net.predict_proba(data))
