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
#include <type_traits>

#include <pinocchio/multibody.hpp>

// The joints that the reader makes. Pinocchio compiles every algorithm once for each joint of a collection: its default
// collection of 25, of which two contain others, takes four times as long. The algorithms are the same. A program for
// models that need less defines a shorter list.
#ifndef SYMBODY_JOINTS
#define SYMBODY_JOINTS(M) M##RX, M##RY, M##RZ, M##PX, M##PY, M##PZ, M##Translation, M##Spherical, M##FreeFlyer
#endif

namespace symbody {

template<typename Scalar_, int Options_>
struct Joints
{
  typedef Scalar_ Scalar;
  static constexpr int Options = Options_;

  typedef pinocchio::JointModelRevoluteTpl<Scalar, Options, 0> JointModelRX;
  typedef pinocchio::JointModelRevoluteTpl<Scalar, Options, 1> JointModelRY;
  typedef pinocchio::JointModelRevoluteTpl<Scalar, Options, 2> JointModelRZ;
  typedef pinocchio::JointModelPrismaticTpl<Scalar, Options, 0> JointModelPX;
  typedef pinocchio::JointModelPrismaticTpl<Scalar, Options, 1> JointModelPY;
  typedef pinocchio::JointModelPrismaticTpl<Scalar, Options, 2> JointModelPZ;
  typedef pinocchio::JointModelTranslationTpl<Scalar, Options> JointModelTranslation;
  typedef pinocchio::JointModelSphericalTpl<Scalar, Options> JointModelSpherical;
  typedef pinocchio::JointModelFreeFlyerTpl<Scalar, Options> JointModelFreeFlyer;
  typedef boost::variant<SYMBODY_JOINTS(JointModel)> JointModelVariant;

  typedef pinocchio::JointDataRevoluteTpl<Scalar, Options, 0> JointDataRX;
  typedef pinocchio::JointDataRevoluteTpl<Scalar, Options, 1> JointDataRY;
  typedef pinocchio::JointDataRevoluteTpl<Scalar, Options, 2> JointDataRZ;
  typedef pinocchio::JointDataPrismaticTpl<Scalar, Options, 0> JointDataPX;
  typedef pinocchio::JointDataPrismaticTpl<Scalar, Options, 1> JointDataPY;
  typedef pinocchio::JointDataPrismaticTpl<Scalar, Options, 2> JointDataPZ;
  typedef pinocchio::JointDataTranslationTpl<Scalar, Options> JointDataTranslation;
  typedef pinocchio::JointDataSphericalTpl<Scalar, Options> JointDataSpherical;
  typedef pinocchio::JointDataFreeFlyerTpl<Scalar, Options> JointDataFreeFlyer;
  typedef boost::variant<SYMBODY_JOINTS(JointData)> JointDataVariant;
};

template<typename Scalar> using DataOf = pinocchio::DataTpl<Scalar, 0, Joints>;
using Model = pinocchio::ModelTpl<double, 0, Joints>;
using Data = DataOf<double>;
using Joint = pinocchio::JointModelTpl<double, 0, Joints>;

template<typename J, typename... Js>
constexpr bool is_among(const boost::variant<Js...> *) { return (std::is_same_v<J, Js> || ...); }

template<typename J> Joint made()
{
  if constexpr (is_among<J>(static_cast<const Joint::JointModelVariant *>(nullptr))) return J();
  throw std::runtime_error(J::classname() + " is not among the joints of this program");
}

inline Joint joint_of(const std::string & type)
{
  using namespace pinocchio;
  if (type == "R1") return made<JointModelRX>();
  if (type == "R2") return made<JointModelRY>();
  if (type == "R3") return made<JointModelRZ>();
  if (type == "T1") return made<JointModelPX>();
  if (type == "T2") return made<JointModelPY>();
  if (type == "T3") return made<JointModelPZ>();
  if (type == "slide") return made<JointModelTranslation>();
  if (type == "ball") return made<JointModelSpherical>();
  if (type == "freeflyer") return made<JointModelFreeFlyer>();
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

inline Model read_model(const std::string & path)
{
  std::ifstream text(path);
  std::string word, type;
  std::size_t count, parent;
  Eigen::Vector3d g;
  text >> word >> g[0] >> g[1] >> g[2] >> word >> count;
  Model model;
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
