// Traces Pinocchio's algorithms with CasADi scalars and writes them as C.
//
//   pinocchio_casadi MODEL FUNCTION OUT.c      FUNCTION: inverse | mass | direct
//
// The model's numbers are constants in the trace. Prints one line of JSON: operations, sines, seconds, pattern.
#include <pinocchio/autodiff/casadi.hpp>

#include "pinocchio_reader.hpp"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <chrono>
#include <iostream>
#include <vector>

namespace {

using Scalar = casadi::SX;
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
using Clock = std::chrono::steady_clock;

Vector to_eigen(const Scalar & symbols)
{
  Vector out(symbols.size1());
  for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = symbols(i);
  return out;
}

Scalar to_casadi(const Vector & values)
{
  std::vector<Scalar> rows(values.data(), values.data() + values.size());
  return Scalar::vertcat(rows);
}

// The structural non-zeros of the upper triangle: the half of M that the algorithm computes.
Scalar upper_triangle(const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> & M)
{
  std::vector<casadi_int> rows, cols;
  std::vector<casadi::SXElem> values;
  for (Eigen::Index j = 0; j < M.cols(); ++j)
    for (Eigen::Index i = 0; i <= j; ++i)
      if (!M(i, j).is_zero())
      {
        rows.push_back(i);
        cols.push_back(j);
        values.push_back(M(i, j).scalar());
      }
  return Scalar::triplet(rows, cols, Scalar(values), M.rows(), M.cols());
}

casadi::Function trace(
  const symbody::Model & numbers, const std::string & what, pinocchio::Convention convention, bool cse)
{
  const auto model = numbers.cast<Scalar>();
  symbody::DataOf<Scalar> data(model);
  const Scalar q = Scalar::sym("q", model.nq), v = Scalar::sym("v", model.nv), u = Scalar::sym("u", model.nv);
  const Vector eq = to_eigen(q), ev = to_eigen(v), eu = to_eigen(u);
  const casadi::Dict options{{"cse", cse}};
  if (what == "inverse")
    return casadi::Function("inverse", {q, v, u}, {to_casadi(pinocchio::rnea(model, data, eq, ev, eu))}, options);
  if (what == "mass")
    return casadi::Function("mass", {q}, {upper_triangle(pinocchio::crba(model, data, eq, convention))}, options);
  if (what == "direct")
    return casadi::Function(
      "direct", {q, v, u}, {to_casadi(pinocchio::aba(model, data, eq, ev, eu, convention))}, options);
  throw std::runtime_error("unknown function " + what);
}

// Arithmetic only: + - * / and their one-argument forms; sines, cosines and roots are counted apart.
struct Count
{
  long operations = 0, transcendental = 0;
  explicit Count(const casadi::Function & f)
  {
    for (casadi_int i = 0; i < f.n_instructions(); ++i) switch (f.instruction_id(i))
    {
      case casadi::OP_ADD: case casadi::OP_SUB: case casadi::OP_MUL: case casadi::OP_DIV: case casadi::OP_NEG:
      case casadi::OP_SQ: case casadi::OP_TWICE: case casadi::OP_INV:
        ++operations;
        break;
      case casadi::OP_INPUT: case casadi::OP_OUTPUT: case casadi::OP_CONST: case casadi::OP_PARAMETER: break;
      default: ++transcendental;
    }
  }
};

struct Traced
{
  casadi::Function function;
  std::string how;
  double seconds;
};

// The variant with the fewest operations, as a careful user would pick it.
Traced best(const symbody::Model & model, const std::string & what)
{
  using pinocchio::Convention;
  Traced found;
  long fewest = -1;
  for (const bool cse : {false, true})
    for (const auto convention : {Convention::LOCAL, Convention::WORLD})
    {
      if (what == "inverse" && convention == Convention::WORLD) continue;
      const auto start = Clock::now();
      const casadi::Function f = trace(model, what, convention, cse);
      const std::chrono::duration<double> seconds = Clock::now() - start;
      const long operations = Count(f).operations;
      if (fewest >= 0 && operations >= fewest) continue;
      fewest = operations;
      const std::string frame = convention == Convention::LOCAL ? "local" : "world";
      found = {f, frame + (cse ? ", cse" : ""), seconds.count()};
    }
  return found;
}

void print_list(const char * name, const std::vector<casadi_int> & values)
{
  std::cout << ", \"" << name << "\": [";
  for (std::size_t i = 0; i < values.size(); ++i) std::cout << (i ? "," : "") << values[i];
  std::cout << "]";
}

} // namespace

int main(int argc, char ** argv)
{
  if (argc != 4) return std::cerr << "usage: pinocchio_casadi MODEL inverse|mass|direct OUT.c\n", 2;
  try
  {
    const symbody::Model model = symbody::read_model(argv[1]);
    const Traced traced = best(model, argv[2]);
    const casadi::Function & f = traced.function;
    const auto start = Clock::now();
    casadi::CodeGenerator code("generated.c", casadi::Dict{{"with_header", false}});
    code.add(f);
    std::ofstream(argv[3]) << code.dump();
    const std::chrono::duration<double> writing = Clock::now() - start;
    const Count count(f);
    std::cout << "{\"operations\": " << count.operations << ", \"transcendental\": " << count.transcendental
              << ", \"work\": " << f.sz_w() << ", \"how\": \"" << traced.how
              << "\", \"seconds\": " << traced.seconds + writing.count();
    print_list("row", f.sparsity_out(0).get_row());
    print_list("col", f.sparsity_out(0).get_col());
    std::cout << "}\n";
  }
  catch (const std::exception & error)
  {
    return std::cerr << error.what() << "\n", 1;
  }
}
