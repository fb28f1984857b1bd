// Rebuilds a Pinocchio model from the flat text that symbody_bench.peers writes.
//
//   gravity x y z
//   joints n
//   parent type  R (9, by rows)  p (3)  mass  com (3)  inertia about the com (xx xy yy xz yz zz)     n times
//
// Joint numbers start at 1; 0 is the universe. The order is depth first, as Pinocchio wants it.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include <pinocchio/multibody.hpp>

namespace symbody {

inline pinocchio::JointModel joint_of(const std::string & type)
{
  using namespace pinocchio;
  if (type == "R1") return JointModelRX();
  if (type == "R2") return JointModelRY();
  if (type == "R3") return JointModelRZ();
  if (type == "T1") return JointModelPX();
  if (type == "T2") return JointModelPY();
  if (type == "T3") return JointModelPZ();
  if (type == "slide") return JointModelTranslation();
  if (type == "ball") return JointModelSpherical();
  if (type == "freeflyer") return JointModelFreeFlyer();
  throw std::runtime_error("unknown joint type " + type);
}

inline pinocchio::SE3 read_placement(std::istream & text)
{
  Eigen::Matrix3d R;
  Eigen::Vector3d p;
  for (int i = 0; i < 9; ++i) text >> R(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) text >> p[i];
  return {R, p};
}

inline pinocchio::Inertia read_inertia(std::istream & text)
{
  double mass, xx, xy, yy, xz, yz, zz;
  Eigen::Vector3d com;
  text >> mass >> com[0] >> com[1] >> com[2] >> xx >> xy >> yy >> xz >> yz >> zz;
  return {mass, com, pinocchio::Symmetric3(xx, xy, yy, xz, yz, zz)};
}

inline pinocchio::Model read_model(const std::string & path)
{
  std::ifstream text(path);
  std::string word, type;
  std::size_t count, parent;
  Eigen::Vector3d g;
  text >> word >> g[0] >> g[1] >> g[2] >> word >> count;
  pinocchio::Model model;
  model.gravity.linear(g);
  for (std::size_t i = 0; i < count; ++i)
  {
    text >> parent >> type;
    const pinocchio::SE3 placement = read_placement(text);
    const auto joint = model.addJoint(parent, joint_of(type), placement, "j" + std::to_string(i));
    model.appendBodyToJoint(joint, read_inertia(text), pinocchio::SE3::Identity());
  }
  if (!text) throw std::runtime_error("the model file is incomplete: " + path);
  return model;
}

} // namespace symbody
