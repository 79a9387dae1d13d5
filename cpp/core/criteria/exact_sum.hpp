// A sum of products in twice the precision of double, so that it rounds alike for any order of the samples.
#pragma once

#include <cmath>

namespace silvan {

class ExactSum {
public:
    void add_product(double a, double b) {
        const double product = a * b;
        const double product_error = std::fma(a, b, -product);
        const double sum = high_ + product;
        const double part = sum - high_;
        low_ += (high_ - (sum - part)) + (product - part) + product_error;
        high_ = sum;
    }
    double value() const { return high_ + low_; }

private:
    double high_ = 0.0;
    double low_ = 0.0;
};

}  // namespace silvan
