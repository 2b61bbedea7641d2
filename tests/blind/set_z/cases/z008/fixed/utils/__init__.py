from .meters import ConfusionMeter, AverageMeter
