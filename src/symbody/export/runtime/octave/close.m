function at = NAME_close(s, t, x, u, at)
% NAME_close: the position of the loops at a state, in the assembly mode of another closed position
%
% at = NAME_close(s, t, x, u)        followed from the start of s = NAME_system()
% at = NAME_close(s, t, x, u, at)    followed from a closed position, or else from the start
%
% at.v are the dependent coordinates, for NAME_rates and NAME_outputs; at.g the given ones. An error says if the loops
% do not close. The algorithm is that of symbody: on the straight way to the state, v is predicted by its tangent and
% corrected by Newton's method; a step is accepted if the correction is small and the determinant keeps its sign and
% roughly its size.
    if isempty(s.guess)
        at = struct('g', [], 'v', []);
        return
    end
    goal = NAME_given(t, x, uGIVEN_ARGUMENT);
    start = struct('g', NAME_given(0, s.x0, s.u0GIVEN_ARGUMENT), 'v', s.guess);
    if nargin < 5
        at = start;
    end
    [found, share, gaps] = follow(s, at, goal);
    if share < 1 && ~isequal(at, start)
        [found, share, gaps] = follow(s, start, goal);
    end
    if share < 1
        [gap, row] = max(abs(gaps));
        error('NAME:loops', ['at t = %g s the loops do not close: a singular position is on the way to this state, ' ...
              'or no position closes them; loop ''%s'' is open by %.3g %s'], t, s.loops{row}, gap, s.units{row});
    end
    at = found;
end

function [at, share, gaps] = follow(s, at, goal)
    for ball = s.loop_balls % e and -e are the same orientation
        if at.g(ball:ball + 3)'*goal(ball:ball + 3) < 0
            goal(ball:ball + 3) = -goal(ball:ball + 3);
        end
    end
    share = 0;
    way = max([abs(goal - at.g).*s.relevant; 0]);
    if isfield(at, 'height') && way <= LOOP_FIRST % a neighbour: Newton's method alone
        [v, good, side, height] = corrected(s, goal, at.v);
        if good && side == at.side && abs(height - at.height) < LOOP_DETERMINANT && norm(v - at.v) < LOOP_LEAP
            at = struct('g', goal, 'v', v, 'side', side, 'height', height);
            share = 1;
            gaps = [];
            return
        end
    end
    [v, good, side, height] = corrected(s, at.g, at.v);
    step = min(1, LOOP_FIRST/max(way, 1e-300));
    longest = min(1, LOOP_LONGEST/max(way, 1e-300));
    shortest = min(1, LOOP_SHORTEST/max(way, 1e-300));
    count = 0;
    slope = tangent(s, at.g, goal, share, v);
    while good && share < 1 && step >= shortest && count < LOOP_MOST_STEPS
        count = count + 1;
        there = min(share + step, 1);
        predicted = v + (there - share)*slope;
        [found, accepted, now, size_now] = corrected(s, between(s, at.g, goal, there), predicted);
        miss = max(abs(found - predicted));
        allowed = min(LOOP_MISS, LOOP_BEND*max([abs(predicted - v); (there - share)*way])) + LOOP_CONVERGED;
        if ~accepted || ~(miss < allowed) || now ~= side || ~(abs(size_now - height) < LOOP_DETERMINANT)
            step = step/2;
            continue
        end
        v = found;
        share = there;
        height = size_now;
        slope = tangent(s, at.g, goal, share, v);
        if miss < 0.2*allowed
            step = min(2*step, longest);
        end
    end
    [~, ~, gaps] = NAME_loop_step(goal, vLOOP_STEP_ARGUMENT);
    at = struct('g', goal, 'v', v, 'side', side, 'height', height);
end

function g = between(s, start, goal, share)
    g = start + share*(goal - start);
    for ball = s.loop_balls
        g(ball:ball + 3) = g(ball:ball + 3)/norm(g(ball:ball + 3));
    end
end

function slope = tangent(s, start, goal, share, v)
    here = NAME_loop_step(between(s, start, goal, share), vLOOP_STEP_ARGUMENT);
    ahead = NAME_loop_step(between(s, start, goal, share + LOOP_AHEAD), vLOOP_STEP_ARGUMENT);
    slope = (here - ahead)/LOOP_AHEAD;
end

function [v, good, side, height] = corrected(s, g, v)
% Newton's method; sign and logarithm of the determinant
    good = false;
    side = 0;
    height = NaN;
    for k = 1:LOOP_CORRECTIONS
        [d, pivots] = NAME_loop_step(g, vLOOP_STEP_ARGUMENT);
        side = prod(sign(pivots));
        height = sum(log(abs(pivots)));
        if ~all(isfinite(d)) || ~isfinite(height)
            return
        end
        v = v - d;
        if max(abs(d)) < LOOP_CONVERGED
            good = true;
            return
        elseif ~(max(abs(d)) < 1)
            return
        end
    end
end
