//! The drawing of history beside a log (`--graph`).
//!
//! Lines of history run down in lanes, two columns each. A [`Graph`] is told of one commit after the other
//! ([`Graph::start`]) and draws rows of text: the row with the commit's mark, before it rows that make room for the edges
//! of a merge of many, and after it rows in which edges fan out to the parents and slide left into their lanes.
//!
//! Between two commits each cell of a row holds the lane that the edge in it is bound for. An edge is in place when the
//! lane's column is its own; until then every row brings it one or two cells closer.

/// A line of history: the commit that it leads to, and the number of its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lane {
    commit: u32,
    color: usize,
}

/// What the next row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// All edges are in place: rows only go on with the lanes.
    Settled,
    /// The last commit's edges were not finished when the next commit came.
    Cut,
    /// Rows that make room for a merge of three or more.
    Widen,
    /// The row with the commit's mark.
    Mark,
    /// The row in which edges leave for the parents of a merge.
    Fan,
    /// Rows in which edges slide into their lanes.
    Slide,
}

/// Where the first edge of a merge goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstEdge {
    /// To the left, into a lane that is there already.
    Left,
    /// Straight down.
    Down,
}

/// Draws the lanes of history. See the module's head.
#[derive(Debug, Clone)]
pub struct Graph {
    colors: Vec<String>,
    reset: String,
    /// The lanes above the commit, and those below it.
    above: Vec<Lane>,
    below: Vec<Lane>,
    /// For each cell of the next row, the lane below that the edge in it is bound for.
    cells: Vec<Option<usize>>,
    old_cells: Vec<Option<usize>>,
    /// How many columns every row of this commit takes.
    width: usize,
    commit: u32,
    mark: u8,
    parents: Vec<u32>,
    /// The commit's lane above, and that of the commit before.
    at: usize,
    at_before: usize,
    first_edge: Option<FirstEdge>,
    /// How many lanes the commit adds; -1 when its last edge joins the lane to the right.
    added: isize,
    added_before: isize,
    widened: usize,
    phase: Phase,
    phase_before: Phase,
    next_color: usize,
}

/// A row, and how many columns it takes: colours take none.
struct Row<'o> {
    out: &'o mut Vec<u8>,
    columns: usize,
}

impl Graph {
    /// A drawing without lanes yet. `colors` are the sequences that switch colours on, taken in turn (none for no colours),
    /// and `reset` switches them off.
    pub fn new(colors: Vec<String>, reset: String) -> Self {
        Graph {
            // The first new line takes the colour after the last.
            next_color: colors.len().saturating_sub(1),
            colors,
            reset,
            above: Vec::new(),
            below: Vec::new(),
            cells: Vec::new(),
            old_cells: Vec::new(),
            width: 0,
            commit: u32::MAX,
            mark: b'*',
            parents: Vec::new(),
            at: 0,
            at_before: 0,
            first_edge: None,
            added: 0,
            added_before: 0,
            widened: 0,
            phase: Phase::Settled,
            phase_before: Phase::Settled,
        }
    }

    /// Goes on to `commit`, which is drawn as `mark`; `parents` are those of its parents that will be drawn.
    pub fn start(&mut self, commit: u32, mark: u8, parents: &[u32]) {
        self.commit = commit;
        self.mark = mark;
        self.parents.clear();
        self.parents.extend_from_slice(parents);
        self.at_before = self.at;
        self.lay_out();
        self.widened = 0;
        // Rows of the commit before that were not drawn are cut off, and that is shown.
        self.phase = match self.phase {
            Phase::Settled if self.must_widen() => Phase::Widen,
            Phase::Settled => Phase::Mark,
            _ => Phase::Cut,
        };
    }

    /// Whether all edges of the commit are in place.
    pub fn is_settled(&self) -> bool {
        self.phase == Phase::Settled
    }

    /// How many columns every row takes when the commit's edges are in place.
    pub fn width(&self) -> usize {
        self.width.max(2 * self.below.len())
    }

    /// Finds the lanes below the commit, and which cell the edge to each of them starts in.
    fn lay_out(&mut self) {
        std::mem::swap(&mut self.above, &mut self.below);
        self.below.clear();
        self.width = 0;
        self.added_before = self.added;
        self.added = 0;
        let above = std::mem::take(&mut self.above);
        self.cells.clear();
        self.cells.resize(2 * (above.len() + self.parents.len()), None);
        let own = above.iter().position(|lane| lane.commit == self.commit);
        self.at = own.unwrap_or(above.len());
        for (i, lane) in above.iter().enumerate() {
            if i == self.at {
                self.leave(own.is_some(), &above);
            } else {
                self.enter(lane.commit, None, &above);
            }
        }
        if own.is_none() {
            self.leave(false, &above);
        }
        self.above = above;
        let used = self.cells.iter().rposition(Option::is_some).map_or(1, |last| last + 1);
        self.cells.truncate(used);
    }

    /// Adds the commit's own edges, one to each parent.
    fn leave(&mut self, has_lane: bool, above: &[Lane]) {
        self.first_edge = None;
        for i in 0..self.parents.len() {
            if (self.parents.len() > 1 || !has_lane) && !self.colors.is_empty() {
                self.next_color = (self.next_color + 1) % self.colors.len();
            }
            self.enter(self.parents[i], Some(self.at), above);
        }
        // A commit without parents still takes its own column.
        if self.parents.is_empty() {
            self.width += 2;
        }
    }

    /// Adds an edge that is bound for `commit`; `from` is the lane above when it is one of this commit's own.
    fn enter(&mut self, commit: u32, from: Option<usize>, above: &[Lane]) {
        let lane = self.lane_of(commit).unwrap_or_else(|| {
            let kept = above.iter().find(|lane| lane.commit == commit).map(|lane| lane.color);
            self.below.push(Lane { commit, color: kept.unwrap_or(self.next_color) });
            self.below.len() - 1
        });
        let cell = match from {
            Some(from) if self.parents.len() > 1 && self.first_edge.is_none() => {
                self.place_first_edge(from, lane)
            }
            _ if self.added > 0 && self.cells.get(self.width - 2) == Some(&Some(lane)) => {
                // The merge's last edge and the lane to its right are bound for the same place, and join at once.
                self.added = -1;
                self.width - 2
            }
            _ => {
                self.width += 2;
                self.width - 2
            }
        };
        if let Some(held) = self.cells.get_mut(cell) {
            *held = Some(lane);
        }
    }

    /// The cell in which the first edge of a merge starts: when its lane lies to the left, the edges that the commit adds
    /// start further left by as much as that edge crosses.
    fn place_first_edge(&mut self, from: usize, lane: usize) -> usize {
        let distance = from.saturating_sub(lane);
        let crossed = if distance > 1 { 2 * distance - 3 } else { 1 };
        let (first, cell) = match distance {
            0 => (FirstEdge::Down, self.width),
            _ => (FirstEdge::Left, self.width.saturating_sub(crossed)),
        };
        self.first_edge = Some(first);
        self.added = self.parents.len() as isize - if first == FirstEdge::Left { 2 } else { 1 };
        if first == FirstEdge::Down {
            self.width += 2;
        }
        cell
    }

    fn lane_of(&self, commit: u32) -> Option<usize> {
        self.below.iter().position(|lane| lane.commit == commit)
    }

    /// How many dashes a merge of many has beside its mark, in pairs.
    fn dashes(&self) -> usize {
        (self.parents.len() + usize::from(self.first_edge == Some(FirstEdge::Down))).saturating_sub(3)
    }

    fn must_widen(&self) -> bool {
        self.parents.len() >= 3 && self.at + 1 < self.above.len() && self.widened < 2 * self.dashes()
    }

    fn is_in_place(&self) -> bool {
        self.cells.iter().enumerate().all(|(cell, lane)| lane.is_none_or(|lane| lane == cell / 2))
    }

    fn go_on(&mut self, phase: Phase) {
        self.phase_before = self.phase;
        self.phase = phase;
    }

    fn settle_or_slide(&mut self) {
        let phase = if self.is_in_place() { Phase::Settled } else { Phase::Slide };
        self.go_on(phase);
    }

    /// Draws the next row, without a newline; says whether it is the one with the commit's mark.
    pub fn next_row(&mut self, out: &mut Vec<u8>) -> bool {
        let phase = self.phase;
        let mut row = Row { out, columns: 0 };
        match phase {
            Phase::Settled => self.draw_lanes(&mut row),
            Phase::Cut => self.draw_cut(&mut row),
            Phase::Widen => self.draw_widening(&mut row),
            Phase::Mark => self.draw_mark(&mut row),
            Phase::Fan => self.draw_fan(&mut row),
            Phase::Slide => self.draw_slide(&mut row),
        }
        row.pad_to(self.width);
        phase == Phase::Mark
    }

    /// Draws a row that leaves the drawing as it is where it can: before the commit's mark the lanes above go on.
    pub fn padding_row(&mut self, out: &mut Vec<u8>) {
        if self.phase != Phase::Mark {
            self.next_row(out);
            return;
        }
        let mut row = Row { out, columns: 0 };
        for lane in &self.above {
            self.edge(lane.color, b'|', &mut row);
            if lane.commit == self.commit && self.parents.len() > 2 {
                row.spaces(2 * (self.parents.len() - 2));
            } else {
                row.spaces(1);
            }
        }
        row.pad_to(self.width);
        // The row before the mark is now one of plain lanes.
        self.phase_before = Phase::Settled;
    }

    fn draw_lanes(&self, row: &mut Row<'_>) {
        for lane in &self.below {
            self.edge(lane.color, b'|', row);
            row.spaces(1);
        }
    }

    fn draw_cut(&mut self, row: &mut Row<'_>) {
        row.text(b"...");
        let phase = if self.must_widen() { Phase::Widen } else { Phase::Mark };
        self.go_on(phase);
    }

    fn draw_widening(&mut self, row: &mut Row<'_>) {
        let after_fan = self.phase_before == Phase::Fan;
        for (i, lane) in self.above.iter().enumerate() {
            if i == self.at {
                self.edge(lane.color, b'|', row);
                row.spaces(self.widened);
            } else if i > self.at && (self.widened > 0 || after_fan && self.at_before < i) {
                self.edge(lane.color, b'\\', row);
            } else {
                self.edge(lane.color, b'|', row);
            }
            row.spaces(1);
        }
        self.widened += 1;
        if !self.must_widen() {
            self.go_on(Phase::Mark);
        }
    }

    fn draw_mark(&mut self, row: &mut Row<'_>) {
        for i in 0..self.above.len().max(self.at + 1) {
            let Some(lane) = self.above.get(i).filter(|_| i != self.at) else {
                row.text(&[self.mark]);
                self.draw_dashes(row);
                row.spaces(1);
                continue;
            };
            let was_fanning = self.phase_before == Phase::Fan && self.added_before > 0 && self.at_before < i;
            let slid_in = self.phase_before == Phase::Slide
                && self.old_cells.get(2 * i + 1) == Some(&Some(i))
                && self.cells.get(2 * i).is_some_and(|lane| lane.is_none_or(|lane| lane < i));
            let drawn = match (i > self.at, self.added) {
                (true, 2..) => b'\\',
                (true, 1) if was_fanning => b'\\',
                (true, 1) => b'|',
                _ if slid_in => b'/',
                _ => b'|',
            };
            self.edge(lane.color, drawn, row);
            row.spaces(1);
        }
        if self.parents.len() > 1 {
            self.go_on(Phase::Fan);
        } else {
            self.settle_or_slide();
        }
    }

    /// The dashes that lead from the mark of a merge of many to its further parents.
    fn draw_dashes(&self, row: &mut Row<'_>) {
        if self.parents.len() <= 2 {
            return;
        }
        let dashes = self.dashes();
        for i in 0..dashes {
            let lane = self.cells.get(2 * (self.at + i + 2)).copied().flatten();
            let color = lane.and_then(|lane| self.below.get(lane)).map_or(0, |lane| lane.color);
            self.edge(color, b'-', row);
            self.edge(color, if i + 1 == dashes { b'.' } else { b'-' }, row);
        }
    }

    fn draw_fan(&mut self, row: &mut Row<'_>) {
        // The lane of the first parent, where it lies to the left: the first edge crosses to it on this row.
        let mut crossing = None;
        for i in 0..self.above.len().max(self.at + 1) {
            match self.above.get(i).filter(|_| i != self.at) {
                None => self.draw_own_edges(row),
                Some(lane) if i > self.at => {
                    self.edge(lane.color, if self.added > 0 { b'\\' } else { b'|' }, row);
                    row.spaces(1);
                }
                Some(lane) => {
                    self.edge(lane.color, b'|', row);
                    if self.first_edge == Some(FirstEdge::Down) || i + 1 != self.at {
                        match crossing {
                            Some(color) => self.edge(color, b'_', row),
                            None => row.spaces(1),
                        }
                    }
                }
            }
            if let Some(lane) = self.above.get(i)
                && self.parents.first() == Some(&lane.commit)
            {
                crossing = Some(lane.color);
            }
        }
        self.settle_or_slide();
    }

    /// The edges from the commit to its parents: `/` or `|` first, then `|` once, then `\`.
    fn draw_own_edges(&self, row: &mut Row<'_>) {
        const SHAPES: [u8; 3] = [b'/', b'|', b'\\'];
        let mut shape = usize::from(self.first_edge == Some(FirstEdge::Down));
        for (i, parent) in self.parents.iter().enumerate() {
            let color = self.lane_of(*parent).map_or(0, |lane| self.below[lane].color);
            self.edge(color, SHAPES[shape], row);
            if shape < 2 {
                shape += 1;
            } else if self.added > 0 || i + 1 < self.parents.len() {
                row.spaces(1);
            }
        }
        if self.added == 0 {
            row.spaces(1);
        }
    }

    fn draw_slide(&mut self, row: &mut Row<'_>) {
        let horizontal = self.slide();
        let mut went_flat = false;
        for cell in 0..self.cells.len() {
            let Some(lane) = self.cells[cell] else {
                row.spaces(1);
                continue;
            };
            let color = self.below.get(lane).map_or(0, |lane| lane.color);
            if 2 * lane == cell {
                self.edge(color, b'|', row);
                continue;
            }
            match horizontal {
                Some((from, target)) if target == lane && cell + 1 != from => {
                    // Only the first piece of a flat edge goes on in the next row.
                    if cell != 2 * lane + 3 {
                        self.cells[cell] = None;
                    }
                    went_flat = true;
                    self.edge(color, b'_', row);
                }
                _ => {
                    if went_flat && horizontal.is_some_and(|(from, _)| cell < from) {
                        self.cells[cell] = None;
                    }
                    self.edge(color, b'/', row);
                }
            }
        }
        if self.is_in_place() {
            self.go_on(Phase::Settled);
        }
    }

    /// Brings every edge that is not in place closer to its lane. One edge of a row may run flat; where it started and the
    /// lane it is bound for come back.
    fn slide(&mut self) -> Option<(usize, usize)> {
        std::mem::swap(&mut self.cells, &mut self.old_cells);
        let len = self.old_cells.len();
        self.cells.clear();
        self.cells.resize(len, None);
        let mut horizontal = None;
        for from in 0..len {
            let Some(lane) = self.old_cells[from] else { continue };
            if 2 * lane == from || from == 0 {
                self.cells[from] = Some(lane);
                continue;
            }
            let start = match self.cells[from - 1] {
                None => {
                    self.cells[from - 1] = Some(lane);
                    from
                }
                // It joins an edge that is bound for the same lane.
                Some(left) if left == lane => continue,
                // It crosses the edge to its left.
                Some(_) => {
                    if let Some(cell) = from.checked_sub(2) {
                        self.cells[cell] = Some(lane);
                    }
                    from - 1
                }
            };
            if horizontal.is_none() {
                horizontal = Some((start, lane));
                for cell in (2 * lane + 3..from.saturating_sub(2)).step_by(2) {
                    self.cells[cell] = Some(lane);
                }
            }
        }
        self.old_cells.clone_from(&self.cells);
        if self.cells.last() == Some(&None) {
            self.cells.pop();
        }
        horizontal
    }

    fn edge(&self, color: usize, shape: u8, row: &mut Row<'_>) {
        match self.colors.get(color) {
            Some(on) => {
                row.out.extend_from_slice(on.as_bytes());
                row.text(&[shape]);
                row.out.extend_from_slice(self.reset.as_bytes());
            }
            None => row.text(&[shape]),
        }
    }
}

impl Row<'_> {
    fn text(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.columns += text.len();
    }

    fn spaces(&mut self, count: usize) {
        self.out.resize(self.out.len() + count, b' ');
        self.columns += count;
    }

    fn pad_to(&mut self, width: usize) {
        self.spaces(width.saturating_sub(self.columns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws commits, each with its parents, all rows of each.
    fn draw(commits: &[(u32, &[u32])]) -> Vec<String> {
        let mut graph = Graph::new(Vec::new(), String::new());
        let mut rows = Vec::new();
        for (commit, parents) in commits {
            graph.start(*commit, b'*', parents);
            loop {
                let mut row = Vec::new();
                graph.next_row(&mut row);
                rows.push(String::from_utf8(row).unwrap().trim_end().to_owned());
                if graph.is_settled() {
                    break;
                }
            }
        }
        rows
    }

    #[test]
    fn a_merge_fans_out_and_comes_together() {
        let rows = draw(&[(5, &[4, 3]), (4, &[2]), (3, &[2]), (2, &[1]), (1, &[])]);
        assert_eq!(rows, ["*", "|\\", "* |", "| *", "|/", "*", "*"]);
    }

    #[test]
    fn a_merge_of_three_has_dashes() {
        let rows = draw(&[(9, &[4, 3, 2]), (4, &[1]), (3, &[1]), (2, &[1]), (1, &[])]);
        assert_eq!(rows[..2], ["*-.", "|\\ \\"]);
        assert_eq!(rows[2..], ["* | |", "| * |", "|/ /", "| *", "|/", "*"]);
    }
}
