# Grows ranger's forest on samples that benchmarks/ranger.py wrote, and says what it cost:
#   Rscript benchmarks/ranger.R FOLDER N_FEATURES N_TREES N_THREADS SEED
# writes the seconds of the fit on the clock and of the processors, and the test error.
suppressPackageStartupMessages(library(ranger))
given <- commandArgs(trailingOnly = TRUE)
numbers <- as.integer(given[-1])

read <- function(name) {
  read_all <- function(file, what, size) {
    path <- file.path(given[1], file)
    readBin(path, what, n = file.size(path) / size, size = size)
  }
  X <- matrix(read_all(paste0("X_", name), "double", 8), ncol = numbers[1])
  colnames(X) <- paste0("x", seq_len(ncol(X)))
  list(X = X, y = factor(read_all(paste0("y_", name), "integer", 4)))
}

train <- read("train")
cost <- system.time(
  forest <- ranger(
    x = train$X, y = train$y, num.trees = numbers[2], num.threads = numbers[3], seed = numbers[4],
    min.node.size = 1, oob.error = FALSE, verbose = FALSE
  )
)
test <- read("test")
found <- predict(forest, test$X)$predictions
cat(cost[["elapsed"]], cost[["user.self"]] + cost[["sys.self"]], mean(found != test$y), "\n")
