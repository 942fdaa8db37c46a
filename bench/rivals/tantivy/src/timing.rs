//! Best and median of repeated runs, and the order of a round.

use std::time::Duration;

#[derive(Clone, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    pub fn add(&mut self, time: Duration) {
        let at = self.0.partition_point(|known| *known <= time);
        self.0.insert(at, time);
    }

    pub fn best(&self) -> Duration {
        self.0[0]
    }

    pub fn median(&self) -> Duration {
        self.0[self.0.len() / 2]
    }
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Indices below `length` in an order that depends on the round alone (Fisher-Yates with xorshift).
pub fn shuffled(length: usize, round: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(round as u64 + 1);
    for last in (1..length).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(last, (state % (last as u64 + 1)) as usize);
    }
    order
}
