from torch import nn


class CRNN(nn.Module):
    def __init__(self, classes, height=16):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, (2, 1), 1), nn.ReLU())
        self.rnn = nn.LSTM(16 * height // 4, 24, bidirectional=True)
        self.fc = nn.Linear(48, classes)

    def forward(self, img):
        f = self.conv(img).flatten(1, 2).permute(2, 0, 1)
        h, _ = self.rnn(f)
        return self.fc(h).log_softmax(-1)
