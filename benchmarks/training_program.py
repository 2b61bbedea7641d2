"""A training program as people write them: models, data, losses, a trainer and a main function in one file."""

from __future__ import annotations

_HEAD = '''"""Train and evaluate image classifiers and small segmentation models."""

import argparse
import copy
import json
import logging
import math
import os
import random
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset, random_split

logger = logging.getLogger(__name__)

MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
NUM_CLASSES = 100
CHECKPOINT = "checkpoint.pt"


def seed_everything(seed):
    """Make runs repeatable."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)


def pick_device(name=None):
    """The device asked for, or the best one there is."""
    if name:
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def count_parameters(model, trainable=True):
    """How many numbers a model learns."""
    total = 0
    for parameter in model.parameters():
        if parameter.requires_grad or not trainable:
            total += parameter.numel()
    return total


def human_readable(number):
    """1234567 as 1.2M."""
    for unit in ("", "K", "M", "G"):
        if abs(number) < 1000:
            return f"{number:.1f}{unit}"
        number /= 1000
    return f"{number:.1f}T"


@dataclass
class Config:
    """What a run is made of."""

    model: str = "resnet"
    epochs: int = 90
    batch_size: int = 128
    lr: float = 0.1
    weight_decay: float = 5e-4
    warmup: int = 5
    label_smoothing: float = 0.1
    mixup: float = 0.2
    ema_decay: float = 0.999
    clip: float = 1.0
    accumulate: int = 1
    tags: list = field(default_factory=list)

    def scaled(self, world_size):
        """The same for several workers."""
        other = copy.deepcopy(self)
        other.lr = self.lr * world_size
        other.batch_size = self.batch_size // world_size
        return other

'''

_CONV = '''
class {name}Block(nn.Module):
    """Two convolutions and a way around them."""

    expansion = {expansion}

    def __init__(self, inner, outer, stride=1, drop=0.0):
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer * self.expansion, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outer * self.expansion)
        self.drop = drop
        if stride != 1 or inner != outer * self.expansion:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inner, outer * self.expansion, 1, stride, bias=False),
                nn.BatchNorm2d(outer * self.expansion),
            )
        else:
            self.shortcut = nn.Identity()

    def forward(self, x):
        residual = self.shortcut(x)
        out = F.{activation}(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        if self.training and self.drop > 0:
            keep = 1.0 - self.drop
            mask = torch.rand(x.shape[0], 1, 1, 1, device=x.device) < keep
            out = out * mask / keep
        return F.{activation}(out + residual)


class {name}(nn.Module):
    """A convolutional classifier of four stages."""

    def __init__(self, layers, num_classes=NUM_CLASSES, width={width}, drop=0.0):
        super().__init__()
        self.inner = width
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 3, 1, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
        )
        self.layer1 = self._stage(width, layers[0], 1, drop)
        self.layer2 = self._stage(width * 2, layers[1], 2, drop)
        self.layer3 = self._stage(width * 4, layers[2], 2, drop)
        self.layer4 = self._stage(width * 8, layers[3], 2, drop)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(width * 8 * {name}Block.expansion, num_classes)
        self.reset()

    def _stage(self, outer, count, stride, drop):
        blocks = []
        for index in range(count):
            blocks.append({name}Block(self.inner, outer, stride if index == 0 else 1, drop))
            self.inner = outer * {name}Block.expansion
        return nn.Sequential(*blocks)

    def reset(self):
        """Start as the paper does."""
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.ones_(module.weight)
                nn.init.zeros_(module.bias)

    def features(self, x):
        """What the head sees."""
        x = self.stem(x)
        x = self.layer1(x)
        x = self.layer2(x)
        x = self.layer3(x)
        x = self.layer4(x)
        return self.pool(x).flatten(1)

    def forward(self, x):
        return self.head(self.features(x))


def {lower}_small(num_classes=NUM_CLASSES):
    return {name}([2, 2, 2, 2], num_classes)


def {lower}_large(num_classes=NUM_CLASSES, drop=0.1):
    return {name}([3, 4, 6, 3], num_classes, width={width} * 2, drop=drop)

'''

_TRANSFORMER = '''
class {name}Attention(nn.Module):
    """Attention with several heads."""

    def __init__(self, dim, heads={heads}, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        batch, length, dim = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, dim // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        x = (weights @ v).transpose(1, 2).reshape(batch, length, dim)
        return self.out(x)


class {name}Layer(nn.Module):
    """Attention and a feed-forward part, each with its norm."""

    def __init__(self, dim, ratio=4, dropout=0.1):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attention = {name}Attention(dim, dropout=dropout)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(
            nn.Linear(dim, dim * ratio),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(dim * ratio, dim),
            nn.Dropout(dropout),
        )

    def forward(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class {name}(nn.Module):
    """Patches of an image as a sequence."""

    def __init__(self, size=32, patch=4, dim={dim}, depth={depth}, num_classes=NUM_CLASSES, dropout=0.1):
        super().__init__()
        count = (size // patch) ** 2
        self.patch = nn.Conv2d(3, dim, patch, patch)
        self.token = nn.Parameter(torch.zeros(1, 1, dim))
        self.position = nn.Parameter(torch.randn(1, count + 1, dim) * 0.02)
        self.layers = nn.ModuleList([{name}Layer(dim, dropout=dropout) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)
        self.register_buffer("steps", torch.zeros(1, dtype=torch.long))

    def embed(self, x):
        """Patches with their positions."""
        x = self.patch(x).flatten(2).transpose(1, 2)
        token = self.token.expand(x.shape[0], -1, -1)
        x = torch.cat([token, x], dim=1)
        return x + self.position[:, : x.shape[1]]

    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])

    def attention_maps(self, x):
        """What each layer looks at."""
        maps = []
        x = self.embed(x)
        for layer in self.layers:
            maps.append(layer.norm1(x).mean(dim=-1).detach())
            x = layer(x)
        return torch.stack(maps, dim=1)

'''

_UNET = '''
class {name}Double(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inner, outer, 3, padding=1),
            nn.BatchNorm2d(outer),
            nn.ReLU(inplace=True),
            nn.Conv2d(outer, outer, 3, padding=1),
            nn.BatchNorm2d(outer),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.body(x)


class {name}(nn.Module):
    """Down, and up again."""

    def __init__(self, channels=3, classes=21, width={width}):
        super().__init__()
        self.enter = {name}Double(channels, width)
        self.down1 = {name}Double(width, width * 2)
        self.down2 = {name}Double(width * 2, width * 4)
        self.bottom = {name}Double(width * 4, width * 8)
        self.up2 = nn.ConvTranspose2d(width * 8, width * 4, 2, 2)
        self.merge2 = {name}Double(width * 8, width * 4)
        self.up1 = nn.ConvTranspose2d(width * 4, width * 2, 2, 2)
        self.merge1 = {name}Double(width * 4, width * 2)
        self.leave = nn.Conv2d(width * 2, classes, 1)

    def encode(self, x):
        first = self.enter(x)
        second = self.down1(F.max_pool2d(first, 2))
        third = self.down2(F.max_pool2d(second, 2))
        return first, second, third, self.bottom(F.max_pool2d(third, 2))

    def forward(self, x):
        _, second, third, x = self.encode(x)
        x = self.merge2(torch.cat([self.up2(x), third], dim=1))
        x = self.merge1(torch.cat([self.up1(x), second], dim=1))
        x = self.leave(x)
        return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)

'''

_DATA = '''
class {name}Folder(Dataset):
    """Images in arrays, one file for each split."""

    def __init__(self, root, split="train", transform=None, limit=None):
        self.root = Path(root)
        self.split = split
        self.transform = transform
        data = np.load(self.root / f"{{split}}.npz")
        self.images = data["images"]
        self.labels = data["labels"]
        if limit is not None:
            self.images = self.images[:limit]
            self.labels = self.labels[:limit]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index]).float() / 255
        label = int(self.labels[index])
        if self.transform is not None:
            image = self.transform(image)
        return image, label

    def weights(self):
        """A weight for each sample, so that classes come equally often."""
        counts = np.bincount(self.labels, minlength=NUM_CLASSES)
        return torch.as_tensor(1.0 / np.maximum(counts, 1))[torch.as_tensor(self.labels)]


class {name}Augment:
    """Flips, crops and noise."""

    def __init__(self, padding={padding}, noise=0.0, mean=MEAN, std=STD):
        self.padding = padding
        self.noise = noise
        self.mean = torch.tensor(mean).view(3, 1, 1)
        self.std = torch.tensor(std).view(3, 1, 1)

    def flip(self, image):
        if random.random() < 0.5:
            return image.flip(-1)
        return image

    def crop(self, image):
        size = image.shape[-1]
        image = F.pad(image, [self.padding] * 4)
        top = random.randint(0, 2 * self.padding)
        left = random.randint(0, 2 * self.padding)
        return image[:, top : top + size, left : left + size]

    def __call__(self, image):
        image = self.crop(self.flip(image))
        if self.noise:
            image = image + torch.randn_like(image) * self.noise
        return (image - self.mean) / self.std


def {lower}_collate(batch):
    """Samples to a batch."""
    images = torch.stack([image for image, _ in batch])
    labels = torch.tensor([label for _, label in batch])
    return images, labels


def {lower}_loaders(config, root, workers=4):
    """Loaders of all three splits."""
    train = {name}Folder(root, "train", {name}Augment(noise=0.01))
    test = {name}Folder(root, "test", {name}Augment(padding=0))
    size = len(train) // 10
    train, valid = random_split(train, [len(train) - size, size])
    common = {{"batch_size": config.batch_size, "num_workers": workers, "collate_fn": {lower}_collate}}
    return (
        DataLoader(train, shuffle=True, drop_last=True, pin_memory=True, **common),
        DataLoader(valid, **common),
        DataLoader(test, **common),
    )

'''

_LOSSES = '''
class SmoothedLoss(nn.Module):
    """Cross entropy against softened labels."""

    def __init__(self, smoothing=0.1, weight=None):
        super().__init__()
        self.smoothing = smoothing
        self.register_buffer("weight", weight)

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=-1)
        nll = -logp.gather(1, target.unsqueeze(1)).squeeze(1)
        smooth = -logp.mean(dim=-1)
        loss = (1 - self.smoothing) * nll + self.smoothing * smooth
        if self.weight is not None:
            loss = loss * self.weight[target]
        return loss.mean()


class FocalLoss(nn.Module):
    """Cross entropy that looks at hard samples."""

    def __init__(self, gamma=2.0, alpha=0.25):
        super().__init__()
        self.gamma = gamma
        self.alpha = alpha

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, reduction="none")
        p = torch.exp(-ce)
        return (self.alpha * (1 - p) ** self.gamma * ce).mean()


class DiceLoss(nn.Module):
    """Overlap of masks."""

    def __init__(self, eps=1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, logits, target):
        probabilities = logits.softmax(dim=1)
        onehot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()
        inter = (probabilities * onehot).sum(dim=(2, 3))
        union = probabilities.sum(dim=(2, 3)) + onehot.sum(dim=(2, 3))
        return 1 - ((2 * inter + self.eps) / (union + self.eps)).mean()


def distillation_loss(student, teacher, target, temperature=4.0, alpha=0.5):
    """What a teacher says, and what is true."""
    soft = F.kl_div(
        F.log_softmax(student / temperature, dim=1),
        F.softmax(teacher / temperature, dim=1),
        reduction="batchmean",
    )
    hard = F.cross_entropy(student, target)
    return alpha * temperature**2 * soft + (1 - alpha) * hard


def mixup(images, labels, alpha):
    """Blend each sample with another one."""
    lam = np.random.beta(alpha, alpha) if alpha > 0 else 1.0
    index = torch.randperm(images.size(0), device=images.device)
    return lam * images + (1 - lam) * images[index], labels, labels[index], lam


def cutmix(images, labels, alpha):
    """Paste a box of another sample into each."""
    lam = np.random.beta(alpha, alpha)
    index = torch.randperm(images.size(0), device=images.device)
    height, width = images.shape[-2:]
    cut = math.sqrt(1 - lam)
    ch, cw = int(height * cut), int(width * cut)
    cy, cx = random.randrange(height), random.randrange(width)
    top, bottom = max(cy - ch // 2, 0), min(cy + ch // 2, height)
    left, right = max(cx - cw // 2, 0), min(cx + cw // 2, width)
    images = images.clone()
    images[:, :, top:bottom, left:right] = images[index, :, top:bottom, left:right]
    lam = 1 - (bottom - top) * (right - left) / (height * width)
    return images, labels, labels[index], lam


def accuracy(logits, target, topk=(1,)):
    """The share of samples whose class is among the first k."""
    with torch.no_grad():
        _, found = logits.topk(max(topk), dim=1)
        correct = found.t().eq(target.view(1, -1).expand(max(topk), -1))
        return [correct[:k].reshape(-1).float().sum().item() / target.size(0) for k in topk]


class Average:
    """A running mean."""

    def __init__(self, window=20):
        self.values = deque(maxlen=window)
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.values.append(value)
        self.total += value * n
        self.count += n

    @property
    def mean(self):
        return self.total / max(self.count, 1)

    @property
    def recent(self):
        return sum(self.values) / max(len(self.values), 1)


class Confusion:
    """Counts of what was taken for what."""

    def __init__(self, classes):
        self.classes = classes
        self.matrix = torch.zeros(classes, classes, dtype=torch.long)

    def update(self, predicted, target):
        valid = (target >= 0) & (target < self.classes)
        index = self.classes * target[valid] + predicted[valid]
        counts = torch.bincount(index.cpu(), minlength=self.classes**2)
        self.matrix += counts.view(self.classes, self.classes)

    def iou(self):
        inter = self.matrix.diag().float()
        union = self.matrix.sum(0) + self.matrix.sum(1) - self.matrix.diag()
        return inter / union.clamp(min=1)

'''

_TRAINER = '''
class Ema:
    """A slow copy of a model."""

    def __init__(self, model, decay=0.999, device=None):
        self.module = copy.deepcopy(model).eval()
        self.decay = decay
        self.device = device
        for parameter in self.module.parameters():
            parameter.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.module.state_dict().values(), model.state_dict().values()):
            if slow.dtype.is_floating_point:
                slow.mul_(self.decay).add_(fast, alpha=1 - self.decay)
            else:
                slow.copy_(fast)


def parameter_groups(model, weight_decay):
    """Norms and biases are not decayed."""
    decayed, free = [], []
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        if parameter.ndim <= 1 or name.endswith(".bias"):
            free.append(parameter)
        else:
            decayed.append(parameter)
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": free, "weight_decay": 0.0}]


def cosine(optimizer, warmup, total, floor=0.0):
    """Up in a line, down in a wave."""

    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        progress = (step - warmup) / max(1, total - warmup)
        return floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * progress))

    return LambdaLR(optimizer, factor)


class Trainer:
    """All that happens in a run."""

    def __init__(self, model, config, loaders, device, out="runs"):
        self.model = model.to(device)
        self.config = config
        self.train_loader, self.valid_loader, self.test_loader = loaders
        self.device = device
        self.out = Path(out)
        self.optimizer = torch.optim.SGD(
            parameter_groups(self.model, config.weight_decay), lr=config.lr, momentum=0.9, nesterov=True
        )
        self.scheduler = cosine(self.optimizer, config.warmup, config.epochs)
        self.scaler = torch.amp.GradScaler("cuda", enabled=device.type == "cuda")
        self.criterion = SmoothedLoss(config.label_smoothing).to(device)
        self.ema = Ema(self.model, config.ema_decay)
        self.history = defaultdict(list)
        self.best = 0.0
        self.epoch = 0

    def prepare(self, batch):
        images, labels = batch
        images = images.to(self.device, non_blocking=True)
        labels = labels.to(self.device, non_blocking=True)
        return images, labels

    def loss(self, images, labels):
        """The loss of one batch, mixed if the configuration says so."""
        if self.config.mixup > 0:
            images, first, second, lam = mixup(images, labels, self.config.mixup)
            logits = self.model(images)
            return lam * self.criterion(logits, first) + (1 - lam) * self.criterion(logits, second), logits
        logits = self.model(images)
        return self.criterion(logits, labels), logits

    def step(self, loss, index):
        self.scaler.scale(loss / self.config.accumulate).backward()
        if (index + 1) % self.config.accumulate:
            return
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.config.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
        self.ema.update(self.model)

    def train_epoch(self):
        self.model.train()
        losses, top1, started = Average(), Average(), time.time()
        for index, batch in enumerate(self.train_loader):
            images, labels = self.prepare(batch)
            with torch.autocast("cuda", enabled=self.device.type == "cuda"):
                loss, logits = self.loss(images, labels)
            if not torch.isfinite(loss):
                logger.warning("loss is %s at step %d", loss.item(), index)
                continue
            self.step(loss, index)
            (first,) = accuracy(logits, labels)
            losses.update(loss.item(), images.size(0))
            top1.update(first, images.size(0))
            if index % 50 == 0:
                logger.info("epoch %d step %d loss %.4f", self.epoch, index, losses.recent)
        self.scheduler.step()
        logger.info("epoch took %.1f s", time.time() - started)
        return {"loss": losses.mean, "top1": top1.mean}

    @torch.no_grad()
    def evaluate(self, loader, model=None):
        model = model or self.model
        model.eval()
        losses, top1, top5 = Average(), Average(), Average()
        for batch in loader:
            images, labels = self.prepare(batch)
            logits = model(images)
            loss = F.cross_entropy(logits, labels)
            first, fifth = accuracy(logits, labels, topk=(1, 5))
            losses.update(loss.item(), images.size(0))
            top1.update(first, images.size(0))
            top5.update(fifth, images.size(0))
        return {"loss": losses.mean, "top1": top1.mean, "top5": top5.mean}

    def save(self, name=CHECKPOINT):
        self.out.mkdir(parents=True, exist_ok=True)
        state = {
            "model": self.model.state_dict(),
            "ema": self.ema.module.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "epoch": self.epoch,
            "best": self.best,
        }
        torch.save(state, self.out / name)

    def resume(self, path):
        state = torch.load(path, map_location=self.device)
        self.model.load_state_dict(state["model"])
        self.ema.module.load_state_dict(state["ema"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch = state["epoch"] + 1
        self.best = state["best"]

    def record(self, split, metrics):
        for key, value in metrics.items():
            self.history[f"{split}/{key}"].append(value)
        logger.info("%s: %s", split, json.dumps(metrics))

    def fit(self):
        while self.epoch < self.config.epochs:
            self.record("train", self.train_epoch())
            metrics = self.evaluate(self.valid_loader, self.ema.module)
            self.record("valid", metrics)
            if metrics["top1"] > self.best:
                self.best = metrics["top1"]
                self.save("best.pt")
            self.save()
            self.epoch += 1
        self.record("test", self.evaluate(self.test_loader, self.ema.module))
        return self.history


@torch.no_grad()
def predict(model, loader, device):
    """All predictions, on the CPU."""
    model.eval()
    found = []
    for images, _ in loader:
        logits = model(images.to(device))
        found.append(logits.argmax(dim=1).cpu())
    return torch.cat(found)


def segment(model, loader, device, classes=21):
    """Mean overlap of a segmentation model."""
    confusion = Confusion(classes)
    model.eval()
    with torch.no_grad():
        for images, masks in loader:
            predicted = model(images.to(device)).argmax(1)
            confusion.update(predicted, masks.to(device))
    return confusion.iou().mean().item()


def distill(student, teacher, loader, optimizer, device, epochs=1):
    """Teach a small model what a large one knows."""
    teacher.eval()
    student.train()
    for _ in range(epochs):
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            with torch.no_grad():
                wanted = teacher(images)
            loss = distillation_loss(student(images), wanted, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return student


def find_lr(model, loader, device, lowest=1e-6, highest=1.0, steps=100):
    """Raise the learning rate until the loss explodes."""
    model = copy.deepcopy(model).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=lowest)
    factor = (highest / lowest) ** (1 / steps)
    rates, losses = [], []
    for index, (images, labels) in enumerate(loader):
        if index >= steps:
            break
        loss = F.cross_entropy(model(images.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rates.append(optimizer.param_groups[0]["lr"])
        losses.append(loss.item())
        for group in optimizer.param_groups:
            group["lr"] *= factor
    return rates, losses


def export(model, path, size=32):
    """Trace a model for use elsewhere."""
    model = copy.deepcopy(model).cpu().eval()
    example = torch.randn(1, 3, size, size)
    traced = torch.jit.trace(model, example)
    traced.save(str(path))
    return traced

'''

_TAIL = '''
def parse_args(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--model", default="resnet", choices=sorted(MODELS))
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--device", default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", default=None)
    parser.add_argument("--out", default="runs")
    parser.add_argument("--find-lr", action="store_true")
    parser.add_argument("--export", action="store_true")
    return parser.parse_args(argv)


def build(args):
    """The model that was asked for."""
    if args.model in MODELS:
        return MODELS[args.model]()
    raise ValueError(f"unknown model {args.model}")


def main(argv=None):
    args = parse_args(argv)
    logging.basicConfig(level=logging.INFO)
    seed_everything(args.seed)
    device = pick_device(args.device)
    config = Config(model=args.model, epochs=args.epochs, batch_size=args.batch_size, lr=args.lr)
    loaders = cifar_loaders(config, args.data)
    model = build(args)
    logger.info("%s parameters", human_readable(count_parameters(model)))
    if args.find_lr:
        print(find_lr(model, loaders[0], device))
        return
    trainer = Trainer(model, config, loaders, device, args.out)
    if args.resume and os.path.exists(args.resume):
        trainer.resume(args.resume)
    history = trainer.fit()
    with open(Path(args.out) / "history.json", "w") as file:
        json.dump(history, file)
    if args.export:
        export(trainer.ema.module, Path(args.out) / "model.pt")


if __name__ == "__main__":
    main()
'''


def training_program() -> str:
    """The program's text, about a thousand lines."""
    parts = [_HEAD, _DATA.format(name="Cifar", lower="cifar", padding=4)]
    convs = (("ResNet", 1, "relu", 64), ("WideNet", 2, "silu", 32))
    parts += [
        _CONV.format(name=name, lower=name.lower(), expansion=expansion, activation=activation, width=width)
        for name, expansion, activation, width in convs
    ]
    parts += [
        _TRANSFORMER.format(name=name, heads=heads, dim=dim, depth=depth)
        for name, heads, dim, depth in (("Vit", 8, 192, 12), ("TinyVit", 4, 96, 6))
    ]
    parts += [_UNET.format(name="UNet", width=32), _LOSSES]
    parts.append(_DATA.format(name="Medical", lower="medical", padding=8))
    parts.append(_TRAINER)
    parts.append(
        '\nMODELS = {\n    "resnet": resnet_small,\n    "resnet-large": resnet_large,\n    "wide": widenet_small,\n'
        '    "vit": Vit,\n    "tiny-vit": TinyVit,\n}\n\n'
    )
    parts.append(_TAIL)
    return "".join(parts)
